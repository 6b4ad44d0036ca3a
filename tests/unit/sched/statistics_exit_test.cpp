// SPDX-License-Identifier: Apache-2.0
// The summary that ASHLAR_STATS=1 prints at exit. The variable is read when the library starts, so the program runs
// itself once more, with this file's hidden test case only.
#include <support/again.h>
#include <support/death.h>
#include <tbb/parallel_for.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

namespace {

TEST_CASE("a program that spawns tasks (run by the test of the summary)" * doctest::skip()) {
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 1000, [&](int i) { sum += i; }, tbb::simple_partitioner());
  CHECK(sum == 499500);
}

test::death run_again(char const* value) {
  return test::run_in_child([value] {
    if (value != nullptr) {
      setenv("ASHLAR_STATS", value, 1);
    } else {
      unsetenv("ASHLAR_STATS");
    }
    test::start_again({"--no-skip", "--out=/dev/null", "--test-case=a program that spawns tasks*"});
  });
}

TEST_CASE("ASHLAR_STATS=1 prints a summary with every thread's counters at exit") {
  test::death const end = run_again("1");
  CHECK(end.exited);
  CHECK(end.code == 0);
  CHECK(end.errors.find("spawned") != std::string::npos);
  CHECK(end.errors.find("executed") != std::string::npos);
  std::size_t const line = end.errors.find("application");
  REQUIRE(line != std::string::npos);
  // The main thread has spawned or executed something: a counter of its line is not zero.
  CHECK(end.errors.find("  all ") != std::string::npos);
  CHECK(end.errors.find("attempts to steal") != std::string::npos);
  CHECK(std::count(end.errors.begin(), end.errors.end(), '\n') <= 30);
  for (std::size_t begin = 0, to = 0; to != std::string::npos; begin = to + 1) {  // it fits a screen
    to = end.errors.find('\n', begin);
    CHECK((to == std::string::npos ? end.errors.size() : to) - begin <= 80);
  }
  std::string const counters = end.errors.substr(line + 20, end.errors.find('\n', line) - line - 20);
  CHECK(counters.find_first_of("123456789") != std::string::npos);
}

TEST_CASE("ASHLAR_STATS=json prints one line of JSON at exit") {
  test::death const end = run_again("json");
  CHECK(end.code == 0);
  CHECK(end.errors.find("{\"ashlar_statistics\":{\"threads\":[{\"kind\":\"application\",\"number\":1,") == 0);
  CHECK(end.errors.find("\"wait_ns\":") != std::string::npos);
  CHECK(end.errors.find('\n') == end.errors.size() - 1);
}

TEST_CASE("a variable whose name is nearly one of ours is told, another one is not") {
  test::death const end = test::run_in_child([] {
    setenv("ASHLAR_NUM_THREAD", "2", 1);
    setenv("ASHLAR_SOMETHING", "2", 1);
    test::start_again({"--no-skip", "--out=/dev/null", "--test-case=a program that spawns tasks*"});
  });
  CHECK(end.code == 0);
  CHECK(end.errors ==
        "ashlar: ASHLAR_NUM_THREAD is no variable of ours and has no effect; is ASHLAR_NUM_THREADS meant?\n");
}

std::string errors_with(char const* name, char const* value) {
  return test::run_in_child([=] {
           setenv(name, value, 1);
           test::start_again({"--no-skip", "--out=/dev/null", "--test-case=a program that spawns tasks*"});
         })
      .errors;
}

TEST_CASE("the nearest name is told: a letter too many, part of a name, more than a name") {
  CHECK(errors_with("ASHLAR_STAST", "1").find("; is ASHLAR_STATS meant?\n") != std::string::npos);
  CHECK(errors_with("ASHLAR_THREADS", "1").find("; is ASHLAR_NUM_THREADS meant?\n") != std::string::npos);
  CHECK(errors_with("ASHLAR_TRACE_FILE", "x").find("; is ASHLAR_TRACE meant?\n") != std::string::npos);
  CHECK(errors_with("ASHLAR_HANG", "x").find("; is ASHLAR_HANG_REPORT meant?\n") != std::string::npos);
  CHECK(errors_with("ASHLAR_R", "x").empty());
}

TEST_CASE("a bad policy is told although no worker starts") {
  auto const errors = [](char const* policy) {
    return test::run_in_child([=] {
             setenv("ASHLAR_NUM_THREADS", "1", 1);
             setenv(policy, "nonsense", 1);
             test::start_again({"--no-skip", "--out=/dev/null", "--test-case=a program of one task*"});
           })
        .errors;
  };
  for (char const* const policy : {"ASHLAR_VICTIM_POLICY", "ASHLAR_IDLE_POLICY", "ASHLAR_WAIT_POLICY"}) {
    CHECK(errors(policy).find(std::string(policy) + "=\"nonsense\" is ignored: expected ") != std::string::npos);
  }
}

TEST_CASE("a program of one task (run by the test of the policies)" * doctest::skip()) {
  tbb::parallel_for(0, 1, [](int) {});
}

TEST_CASE("without ASHLAR_STATS, or with 0, nothing is printed") {
  for (char const* const value : {static_cast<char const*>(nullptr), "0"}) {
    test::death const end = run_again(value);
    CHECK(end.code == 0);
    CHECK(end.errors.empty());
  }
}

}  // namespace
