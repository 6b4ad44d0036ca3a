// SPDX-License-Identifier: Apache-2.0
#include "os/clock.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <ctime>

using namespace ashlar;

namespace {

std::uint64_t monotonic() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

// The rate over `span` ns as seen from outside. A preemption between two readings spoils a try, so the best
// agreement of several counts.
double smallest_error(std::uint64_t span) {
  double best = 1;
  for (int i = 0; i < 10; ++i) {
    std::uint64_t const t0 = os::ticks();
    std::uint64_t const n0 = os::now_ns();
    while (os::now_ns() - n0 < span) {
    }
    std::uint64_t const t1 = os::ticks();
    std::uint64_t const n1 = os::now_ns();
    double const seen = static_cast<double>(t1 - t0) / static_cast<double>(n1 - n0);
    best = std::min(best, std::fabs(seen / os::ticks_per_ns() - 1));
  }
  return best;
}

}  // namespace

TEST_CASE("clock: now_ns is CLOCK_MONOTONIC") {
  std::uint64_t const before = monotonic();
  std::uint64_t const now = os::now_ns();
  std::uint64_t const after = monotonic();
  CHECK(before <= now);
  CHECK(now <= after);
}

TEST_CASE("clock: ticks grow") {
  std::uint64_t last = os::ticks();
  std::uint64_t const end = os::now_ns() + 1'000'000;
  std::uint64_t const first = last;
  bool backwards = false;
  while (os::now_ns() < end) {
    std::uint64_t const t = os::ticks();
    backwards |= t < last;
    last = t;
  }
  CHECK_FALSE(backwards);
  CHECK(last > first);
}

TEST_CASE("clock: the rate fits the kernel's time") {
  double const early = os::ticks_per_ns();
  CHECK(early > 0.001);
  CHECK(early < 20);
  CHECK(smallest_error(2'000'000) < 0.01);
  std::uint64_t const end = os::now_ns() + 12'000'000;
  while (os::now_ns() < end) {
  }
  double const late = os::ticks_per_ns();
  CHECK(std::fabs(early / late - 1) < 0.01);
  CHECK(smallest_error(2'000'000) < 0.002);
  CHECK(os::ticks_per_ns() == late);
}
