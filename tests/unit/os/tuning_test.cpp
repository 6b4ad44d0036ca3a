// SPDX-License-Identifier: Apache-2.0
#include <ashlar/os/tuning.h>

#include "os/clock.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

using ashlar::os::tuning;

TEST_CASE("tuning: a threshold is the same time on every counter") {
  constexpr tuning fast(2.5), slow(0.025);
  static_assert(fast.small_loop == 25'000);
  static_assert(slow.small_loop == 250);
  static_assert(fast.scan_chunk == 200'000);
  static_assert(slow.ticks_of_us(ashlar::os::short_pause_us) == 12'500);
}

TEST_CASE("tuning: the object that programs have copies of keeps its layout") {
  static_assert(sizeof(tuning) == 64);
  static_assert(offsetof(tuning, rate) == 0 && offsetof(tuning, small_loop) == 8 && offsetof(tuning, scan_chunk) == 16);
  static_assert(offsetof(tuning, lock_longest_gap) == 24 && offsetof(tuning, lock_spin) == 32);
  static_assert(offsetof(tuning, brief_lock_gap) == 40 && offsetof(tuning, queue_gap) == 48);
  static_assert(offsetof(tuning, lock_overtaking) == 56);
}

TEST_CASE("tuning: no threshold is 0") {
  constexpr tuning crawling(1e-6);  // a kilohertz
  static_assert(crawling.brief_lock_gap == 1);
  static_assert(crawling.small_loop == 1);
}

TEST_CASE("tuning: the library's thresholds are for this processor's counter") {
  CHECK(std::fabs(ashlar::os::tuned.rate / ashlar::os::ticks_per_ns() - 1) < 0.07);
  CHECK(ashlar::os::tuned.small_loop == tuning(ashlar::os::tuned.rate).small_loop);
  CHECK(std::fabs(ashlar::os::rough_ticks_per_ns() / ashlar::os::ticks_per_ns() - 1) < 0.07);
}
