// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_exclusion.h"

#include "os/futex.h"
#include "os/thread.h"

#include <ashlar/base/atomic.h>

#include <doctest/doctest.h>

#include <sched.h>

#include <cstdint>
#include <vector>

using namespace ashlar;

namespace {

std::vector<unsigned> cpus_of(int thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(::sched_getaffinity(thread, sizeof set, &set) == 0);
  std::vector<unsigned> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// A thread that sleeps until it is woken, and ends its exclusion then.
struct sleeper {
  os::cpu_exclusion away;
  atomic<int> number{0};
  atomic<std::uint32_t> word{0};  // 1: woken; 2: has ended its exclusion; 3: may end
  os::thread_handle thread;

  sleeper() {
    thread = os::start_joinable(
        [](void* p) {
          auto& self = *static_cast<sleeper*>(p);
          self.number.store(os::thread_id(), mo::release);
          while (self.word.load(mo::acquire) != 1) os::futex_wait(self.word, 0);
          self.away.end();
          self.word.store(2, mo::release);
          while (self.word.load(mo::acquire) != 3) os::yield();
        },
        this, 0, "sleeper");
    while (number.load(mo::acquire) == 0) os::yield();
    os::sleep_ns(2'000'000);  // most likely it sleeps; the test holds if it doesn't
  }
  void wake() {
    word.store(1, mo::release);
    os::futex_wake(word, 1);
    while (word.load(mo::acquire) != 2) os::yield();
  }
  ~sleeper() {
    if (word.load(mo::relaxed) == 0) wake();
    word.store(3, mo::release);
    thread.join();
  }
};

std::vector<unsigned> without(std::vector<unsigned> cpus, unsigned cpu) {
  std::erase(cpus, cpu);
  return cpus;
}

}  // namespace

TEST_CASE("cpu exclusion: a sleeping thread loses a CPU, and has all of them again when it has run") {
  sleeper s;
  int const number = s.number.load(mo::relaxed);
  std::vector<unsigned> const all = cpus_of(number);
  if (all.size() < 2) return;  // nothing can be excluded here
  s.away.begin(number, all.front(), all.back());
  CHECK(s.away.active());
  CHECK(cpus_of(number) == without(all, all.front()));
  s.wake();
  CHECK_FALSE(s.away.active());
  CHECK(cpus_of(number) == all);
}

TEST_CASE("cpu exclusion: a thread that ran on the excluded CPU goes to one of those behind it") {
  sleeper s;
  int const number = s.number.load(mo::relaxed);
  std::vector<unsigned> const all = cpus_of(number);
  if (all.size() < 2) return;
  unsigned const second = all[1];
  s.away.begin(number, second, second);
  std::vector<unsigned> behind(all.begin() + 2, all.end());
  CHECK(cpus_of(number) == (behind.empty() ? without(all, second) : behind));
  s.wake();
  CHECK(cpus_of(number) == all);
}

TEST_CASE("cpu exclusion: a thread that may use one CPU keeps it") {
  sleeper s;
  int const number = s.number.load(mo::relaxed);
  unsigned const only = cpus_of(number).front();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(only, &one);
  REQUIRE(::sched_setaffinity(number, sizeof one, &one) == 0);
  s.away.begin(number, only, only);
  CHECK_FALSE(s.away.active());
  CHECK(cpus_of(number) == std::vector<unsigned>{only});
  s.wake();
  CHECK(cpus_of(number) == std::vector<unsigned>{only});
}

TEST_CASE("cpu exclusion: a CPU that the thread may not use, and one that doesn't exist, change nothing") {
  sleeper s;
  int const number = s.number.load(mo::relaxed);
  std::vector<unsigned> const all = cpus_of(number);
  if (all.size() < 2) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(all.front(), &one);
  REQUIRE(::sched_setaffinity(number, sizeof one, &one) == 0);
  s.away.begin(number, all.back(), all.front());
  CHECK_FALSE(s.away.active());
  s.away.begin(number, 1u << 20, 0);
  CHECK_FALSE(s.away.active());
  CHECK(cpus_of(number) == std::vector<unsigned>{all.front()});
}

TEST_CASE("cpu exclusion: end without begin does nothing") {
  os::cpu_exclusion none;
  std::vector<unsigned> const all = cpus_of(0);
  none.end();
  CHECK(cpus_of(0) == all);
}
