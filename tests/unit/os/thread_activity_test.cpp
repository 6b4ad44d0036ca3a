// SPDX-License-Identifier: Apache-2.0
#include "os/thread_activity.h"

#include <doctest/doctest.h>

#include <sys/syscall.h>

namespace os = ashlar::os;

namespace {

os::thread_look look(char state, std::uint64_t cpu, std::uint64_t sleeps, long call = -1) {
  os::thread_look l;
  l.state = state;
  l.cpu = cpu;
  l.sleeps = sleeps;
  l.call = call;
  return l;
}

}  // namespace

TEST_CASE("thread activity: what a thread did between two looks") {
  using os::activity;
  CHECK(os::between(look('R', 5, 2), look('R', 40, 2)) == activity::computes);
  CHECK(os::between(look('R', 5, 2), look('R', 5, 2)) == activity::computes);
  CHECK(os::between(look('R', 5, 2), look('S', 40, 2, SYS_futex)) == activity::computes);
  CHECK(os::between(look('S', 5, 2), look('S', 5, 9, SYS_clock_nanosleep)) == activity::polls);
  CHECK(os::between(look('S', 5, 2), look('S', 5, 2, SYS_clock_nanosleep)) == activity::sleeps);
  CHECK(os::between(look('R', 5, 2), look('S', 5, 3, SYS_futex)) == activity::blocks);
}

TEST_CASE("thread activity: a thread that could go on and got no processor") {
  CHECK(os::lacks_processor(look('R', 5, 2), look('R', 5, 2)));
  CHECK(os::lacks_processor(look('S', 5, 2), look('R', 5, 2)));  // it was woken meanwhile
  CHECK_FALSE(os::lacks_processor(look('R', 5, 2), look('R', 6, 2)));
  CHECK_FALSE(os::lacks_processor(look('R', 5, 2), look('S', 5, 3)));
}
