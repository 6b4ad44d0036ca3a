// SPDX-License-Identifier: Apache-2.0
#include "sched/policy/theft_memory.h"

#include <doctest/doctest.h>

#include <cstdint>

using namespace ashlar::sched;
namespace os = ashlar::os;

namespace {

// A tick is a nanosecond.
constexpr os::tuning tuned(1);

// `number` jobs were stolen, each `took` ticks.
void steal(theft_memory& m, unsigned number, std::uint64_t took, bool only_job) {
  for (std::uint64_t now = 1; number != 0; --number, now += 10'000) {
    m.stolen(now, only_job);
    CHECK(m.done(now + took));
  }
}

}  // namespace

TEST_CASE("theft memory: a thread without thefts, or with long jobs, does not pause") {
  theft_memory m(tuned);
  CHECK_FALSE(m.done(100));
  steal(m, 50, 1000, true);
  steal(m, 50, 200, false);
  CHECK(m.pause_ns() == 0);
}

TEST_CASE("theft memory: a few tiny jobs are borne, then pauses grow up to their limit") {
  theft_memory m(tuned);
  steal(m, 4, 199, false);
  CHECK(m.pause_ns() == 0);
  steal(m, 1, 199, false);
  CHECK(m.pause_ns() == 50);
  steal(m, 1, 199, false);
  CHECK(m.pause_ns() == 100);
  steal(m, 1000, 199, false);
  CHECK(m.pause_ns() == theft_memory::longest_pause_ns);
}

TEST_CASE("theft memory: its victim's only job must be longer") {
  theft_memory m(tuned);
  steal(m, 5, 999, false);
  CHECK(m.pause_ns() == 0);
  steal(m, 5, 999, true);
  CHECK(m.pause_ns() == 50);
}

TEST_CASE("theft memory: a failed theft counts as one of a tiny job") {
  theft_memory m(tuned);
  for (unsigned i = 0; i < 5; ++i) m.failed();
  CHECK(m.pause_ns() == 50);
  CHECK_FALSE(m.done(100));
}

TEST_CASE("theft memory: jobs that were worth it end the pauses") {
  theft_memory m(tuned);
  steal(m, 1000, 1, true);
  steal(m, 4, 5000, true);
  CHECK(m.pause_ns() < 200);
  steal(m, 4, 5000, true);
  CHECK(m.pause_ns() == 0);
}

TEST_CASE("theft memory: a theft is judged once") {
  theft_memory m(tuned);
  m.stolen(1, true);
  CHECK(m.done(2));
  CHECK_FALSE(m.done(3));
}
