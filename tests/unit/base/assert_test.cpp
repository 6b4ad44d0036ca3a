// SPDX-License-Identifier: Apache-2.0
#include <ashlar/base/assert.h>
#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "support/death.h"

namespace {

void printing_handler(char const* location, int line, char const* expression, char const* comment) {
  std::fprintf(stderr, "handler %s %d %s %s\n", location, line, expression, comment ? comment : "none");
}
void exiting_handler(char const*, int, char const*, char const*) { _exit(7); }

}  // namespace

TEST_CASE("a failed assertion prints one line and aborts") {
  test::death const end = test::run_in_child([] { ashlar::assertion_failure("f", 12, "a == b", "they differ"); });
  CHECK(end.by_signal(SIGABRT));
  CHECK(end.errors == "ashlar: assertion failed: a == b, in f, line 12: they differ\n");
}

TEST_CASE("the comment of an assertion may be null") {
  test::death const end = test::run_in_child([] { ashlar::assertion_failure("f", 12, "a == b", nullptr); });
  CHECK(end.by_signal(SIGABRT));
  CHECK(end.errors == "ashlar: assertion failed: a == b, in f, line 12\n");
}

TEST_CASE("an installed handler is called; the process aborts when it returns") {
  CHECK((ashlar::get_assertion_handler() == nullptr));
  CHECK((ashlar::set_assertion_handler(printing_handler) == nullptr));
  CHECK((ashlar::get_assertion_handler() == printing_handler));
  test::death const end = test::run_in_child([] { ashlar::assertion_failure("g", 3, "x", nullptr); });
  CHECK(end.by_signal(SIGABRT));
  CHECK(end.errors == "handler g 3 x none\n");

  CHECK((ashlar::set_assertion_handler(exiting_handler) == printing_handler));
  test::death const exit = test::run_in_child([] { ashlar::assertion_failure("g", 3, "x", nullptr); });
  CHECK(exit.exited);
  CHECK(exit.code == 7);

  CHECK((ashlar::set_assertion_handler(nullptr) == exiting_handler));
  CHECK((ashlar::get_assertion_handler() == nullptr));
}

TEST_CASE("ASHLAR_ASSERT checks when TBB_USE_ASSERT is set and only then") {
  int evaluated = 0;
  test::death const end = test::run_in_child([] {
    [[maybe_unused]] int const one = 1;
    ASHLAR_ASSERT(one == 2, "one is two");
  });
#if TBB_USE_ASSERT
  CHECK(end.by_signal(SIGABRT));
  CHECK(end.errors.find("one == 2") != std::string::npos);
  ASHLAR_ASSERT(++evaluated == 1, "evaluated once");
  CHECK(evaluated == 1);
#else
  CHECK(end.exited);
  ASHLAR_ASSERT(++evaluated == 1, "not evaluated");
  CHECK(evaluated == 0);
#endif
}
