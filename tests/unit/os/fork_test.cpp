// SPDX-License-Identifier: Apache-2.0
#include "os/fork.h"

#include "child_process.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace ashlar;

namespace {

// What ran in this process, in order.
char trace[64];

void note(char c) noexcept { trace[std::strlen(trace) % (sizeof(trace) - 1)] = c; }

bool traced(char const* expected) { return std::strcmp(trace, expected) == 0; }

}  // namespace

TEST_CASE("fork: hooks run where they belong, prepare in reverse order, null ones are skipped") {
  REQUIRE(
      os::add_fork_hooks({[]() noexcept { note('a'); }, []() noexcept { note('b'); }, []() noexcept { note('c'); }}));
  REQUIRE(os::add_fork_hooks({[]() noexcept { note('1'); }, nullptr, []() noexcept { note('3'); }}));
  REQUIRE(os::add_fork_hooks({nullptr, []() noexcept { note('y'); }, nullptr}));
  for (int round = 0; round < 2; ++round) {
    std::memset(trace, 0, sizeof(trace));
    CHECK(exit_code_of_child([] { return traced("1ac3") ? 0 : 1; }) == 0);
    CHECK(traced("1aby"));
  }
  // A child that forks runs them again.
  CHECK(exit_code_of_child([] {
          std::memset(trace, 0, sizeof(trace));
          return exit_code_of_child([] { return traced("1ac3") ? 0 : 1; });
        }) == 0);
}

TEST_CASE("fork: a hook that is added while hooks run waits for the next fork") {
  int const code = exit_code_of_child([] {
    static bool added = false;
    auto const add = []() noexcept {
      if (!added) added = os::add_fork_hooks({[]() noexcept { note('p'); }, nullptr, []() noexcept { note('q'); }});
    };
    if (!os::add_fork_hooks({add, nullptr, nullptr})) return 1;
    std::memset(trace, 0, sizeof(trace));
    if (exit_code_of_child([] { return std::strchr(trace, 'q') == nullptr ? 0 : 1; }) != 0) return 2;
    if (std::strchr(trace, 'p') != nullptr) return 3;
    return exit_code_of_child([] { return std::strchr(trace, 'p') && std::strchr(trace, 'q') ? 0 : 4; });
  });
  CHECK(code == 0);
}

TEST_CASE("fork: a full table refuses") {
  int const added = exit_code_of_child([] {
    int n = 0;
    while (n < 100 && os::add_fork_hooks({})) ++n;
    return os::add_fork_hooks({}) ? 100 : n;
  });
  CHECK(added > 0);
  CHECK(added <= 16);
}
