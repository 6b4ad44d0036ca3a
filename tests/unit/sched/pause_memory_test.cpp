// SPDX-License-Identifier: Apache-2.0
#include "sched/policy/idle.h"

#include <doctest/doctest.h>

#include <cstdint>

using namespace ashlar::sched;

namespace {

constexpr std::uint64_t limit = 500;

// A pause from `begin` to `end`.
void pause(pause_memory& m, std::uint64_t begin, std::uint64_t end) {
  m.begin(begin);
  m.end(end, limit);
}

}  // namespace

TEST_CASE("pause memory: a thread without a past doesn't expect the end of its pause") {
  pause_memory m;
  m.begin(1000);
  CHECK_FALSE(m.keeps_awake(idle_policy::park, 1001, limit));
}

TEST_CASE("pause memory: after a short pause the end is expected until the limit") {
  pause_memory m;
  pause(m, 1000, 1499);
  m.begin(5000);
  CHECK(m.keeps_awake(idle_policy::park, 5000, limit));
  CHECK(m.keeps_awake(idle_policy::park, 5499, limit));
  CHECK_FALSE(m.keeps_awake(idle_policy::park, 5500, limit));
  CHECK_FALSE(m.keeps_awake(idle_policy::tbb41, 5000, limit));
}

TEST_CASE("pause memory: after a long pause it is not, and after the next short one it is again") {
  pause_memory m;
  pause(m, 1000, 1100);
  pause(m, 2000, 2500);
  m.begin(3000);
  CHECK_FALSE(m.keeps_awake(idle_policy::park, 3001, limit));
  m.end(3010, limit);
  m.begin(4000);
  CHECK(m.keeps_awake(idle_policy::park, 4001, limit));
}

TEST_CASE("pause memory: a pause begins once, however often nothing is found") {
  pause_memory m;
  m.begin(1000);
  m.begin(1400);
  m.end(1600, limit);
  m.begin(2000);
  CHECK_FALSE(m.keeps_awake(idle_policy::park, 2001, limit));
}

TEST_CASE("pause memory: work without a pause before it tells nothing") {
  pause_memory m;
  pause(m, 1000, 1100);
  m.end(9000, limit);
  m.begin(9500);
  CHECK(m.keeps_awake(idle_policy::park, 9501, limit));
}

TEST_CASE(
    "pause memory: a worker that left its arena last, and is called as soon as it sleeps, stays awake until the "
    "limit") {
  pause_memory m;
  m.begin(1000);
  m.end_sleep(true, 49, 50);
  m.begin(1100);
  CHECK(m.keeps_awake(idle_policy::park, 1599, limit));
  CHECK_FALSE(m.keeps_awake(idle_policy::park, 1600, limit));
  m.end(3000, limit);
  m.begin(4000);
  CHECK_FALSE(m.keeps_awake(idle_policy::park, 4001, limit));
}

TEST_CASE("pause memory: a worker that has slept for longer, or has left others in its arena, sleeps again") {
  pause_memory longer, not_alone;
  longer.begin(1000);
  longer.end_sleep(true, 50, 50);
  CHECK_FALSE(longer.keeps_awake(idle_policy::park, 1101, limit));
  not_alone.begin(1000);
  not_alone.end_sleep(false, 49, 50);
  CHECK_FALSE(not_alone.keeps_awake(idle_policy::park, 1101, limit));
}
