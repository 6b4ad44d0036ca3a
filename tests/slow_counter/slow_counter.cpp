// SPDX-License-Identifier: Apache-2.0
// Thresholds are times, whatever the processor's counter: the code under test is compiled with a counter of 25 MHz
// (ashlar/os/ticks.h beside this file), whose rate the hardware tells or, with ASHLAR_TEST_UNTOLD, does not.
//
// Each limit is far above what is meant and far below what the same number of ticks means at 2.5 GHz.
#include "os/counter_rate.h"
#include "sync/contend.h"
#include "sync/patience.h"

#include <ashlar/algo/partition.h>
#include <ashlar/os/tuning.h>

#include <doctest/doctest.h>

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace ashlar;

namespace ashlar {
inline namespace v1 {
namespace os {

double rate_from_hardware() noexcept { return std::getenv("ASHLAR_TEST_UNTOLD") != nullptr ? 0 : 0.025; }

}  // namespace os
namespace sync {

void yield_thread() noexcept { sched_yield(); }

}  // namespace sync
}  // namespace v1
}  // namespace ashlar

namespace {

constexpr std::uint64_t us = 1000;

void work_for(std::uint64_t ns) {
  for (std::uint64_t const end = os::now_ns() + ns; os::now_ns() < end;) {
  }
}

// The least of some tries, so that a preemption does not count.
template <typename Try>
std::uint64_t shortest(Try const& once) {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 20; ++i) {
    std::uint64_t const start = os::now_ns();
    once();
    least = std::min(least, os::now_ns() - start);
  }
  return least;
}

bool is_small(std::uint64_t ns) {
  algo::small_loop_watch watch;
  algo::adaptive_partition p(true);
  p.watch = &watch;
  work_for(ns);
  p.over(std::uint64_t{1} << algo::adaptive_partition::deepest);
  return watch.is_small;
}

}  // namespace

TEST_CASE("the thresholds are right from the start") {
  CHECK(std::fabs(os::tuned.rate / 0.025 - 1) < 0.1);
  CHECK(std::fabs(os::ticks_per_ns() / 0.025 - 1) < 0.05);
  CHECK(os::tuned.small_loop >= 225);
  CHECK(os::tuned.small_loop <= 275);
}

TEST_CASE("a loop of 200 us is not small") {
  CHECK_FALSE(is_small(200 * us));
  bool small = false;
  for (int i = 0; i < 20 && !small; ++i) small = is_small(0);
  CHECK(small);
}

TEST_CASE("a thread spins for some microseconds for a lock") {
  std::uint64_t const spun = shortest([] { CHECK_FALSE(sync::contend([] { return false; })); });
  CHECK(spun > 10 * us);
  CHECK(spun < 300 * us);
}

TEST_CASE("a thread overtakes sleeping waiters for less than a millisecond") {
  int lock = 0;
  std::uint64_t const overtook = shortest([&] {
    sync::overtaking turns;
    while (turns.allowed(&lock)) {
    }
  });
  CHECK(overtook > 40 * us);
  CHECK(overtook < 1000 * us);
}
