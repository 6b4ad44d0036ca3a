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
  static_assert(slow.trial_longest_rest == 1'600'000);
  static_assert(slow.short_pass == 15);
}

TEST_CASE("tuning: the object that programs have copies of keeps its layout") {
  static_assert(sizeof(tuning) == 128);
  static_assert(offsetof(tuning, rate) == 0 && offsetof(tuning, small_loop) == 8 && offsetof(tuning, walk_batch) == 16);
  static_assert(offsetof(tuning, scan_chunk) == 24 && offsetof(tuning, short_pass) == 32);
  static_assert(offsetof(tuning, unused) == 40 && offsetof(tuning, trial_window) == 48);
  static_assert(offsetof(tuning, trial_break) == 56 && offsetof(tuning, trial_rest) == 64);
  static_assert(offsetof(tuning, trial_longest_rest) == 72 && offsetof(tuning, left_to_workers) == 80);
  static_assert(offsetof(tuning, lock_longest_gap) == 88 && offsetof(tuning, lock_spin) == 96);
  static_assert(offsetof(tuning, brief_lock_gap) == 104 && offsetof(tuning, queue_gap) == 112);
  static_assert(offsetof(tuning, lock_overtaking) == 120);
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
