// SPDX-License-Identifier: Apache-2.0
// Each construct of the tables, with a failure at each of its chances, in a fresh process and in a warm one.
//
// Skipped under ThreadSanitizer, whose forked children may start no threads.
//
// ASHLAR_THROWS_FRESH: how many places of each construct are tried in fresh processes (default 12; 0: all).
#include "driver.h"

#include <ashlar/base/config.h>
#include <support/death.h>
#include <support/eventually.h>
#include <support/thread_team.h>
#include <tbb/global_control.h>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

using throws::construct;

// Where AddressSanitizer serves malloc, allocations don't fail: what has no other chance has none.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool allocations_fail = false;
#else
constexpr bool allocations_fail = true;
#endif

std::vector<construct> all() {
  std::vector<construct> made = throws::algorithms();
  for (construct& c : throws::containers()) made.push_back(std::move(c));
  return made;
}

// In a child, so that what was called before has no part in it.
template <typename Body>
void in_child(Body const& body) {
  for (construct const& c : all()) {
    test::death const end = test::run_in_child([&] {
      alarm(300);
      body(c);
    });
    CAPTURE(c.name);
    CAPTURE(end.errors);
    CHECK(end.exited);
    CHECK(end.code == 0);
  }
}

}  // namespace

TEST_CASE("each place fails in a fresh process: nothing is lost, and it works afterwards" *
          doctest::skip(ASHLAR_TSAN)) {
  char const* const asked = std::getenv("ASHLAR_THROWS_FRESH");
  long const most = asked != nullptr ? std::atol(asked) : 12;
  for (construct const& c : all()) {
    CHECK((throws::fail_everywhere_afresh(c, most != 0 ? most : 1'000'000) > 1 || !allocations_fail));
  }
}

TEST_CASE("each place fails in a warm process of one thread: nothing is lost, and no memory leaks" *
          doctest::skip(ASHLAR_TSAN)) {
  in_child([](construct const& c) {
    tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 1);
    c.run();
    for (int round = 0; round < 2; ++round) {
      throws::require(throws::fail_everywhere(c) > 1 || !allocations_fail, "there was no chance to fail");
    }
    // A worker that came for enqueued jobs gives the arena's memory back when it gets a processor. A leak is there each
    // time.
    bool leaks = true;
    for (int i = 0; i < 5 && leaks; ++i) {
      long before;
      do {
        before = throws::blocks();
        std::this_thread::sleep_for(std::chrono::milliseconds(5 * (i + 1)));
      } while (throws::blocks() != before);
      throws::fail_everywhere(c);
      leaks = !test::eventually([before] { return throws::blocks() <= before; });
    }
    throws::require(!leaks, "memory leaks");
  });
}

TEST_CASE("each place fails in a warm process of four threads: nothing is lost" * doctest::skip(ASHLAR_TSAN)) {
  in_child([](construct const& c) {
    test::thread_team const limit(4);
    c.run();
    for (int round = 0; round < 2; ++round) throws::fail_everywhere(c);
  });
}
