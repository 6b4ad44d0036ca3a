// SPDX-License-Identifier: Apache-2.0
#include "os/allowance.h"

#include "file_tree.h"
#include "os/clock.h"

#include <doctest/doctest.h>

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace cg = ashlar::os::cgroup;
using ashlar::os::cpus_of_all_threads;
using ashlar::os::read_allowance;

namespace {

bool nowhere(char const*, cg::version) noexcept { return false; }

// The calling thread's mask is that of its first CPU while this lives.
class pinned_to_one {
 public:
  pinned_to_one() {
    REQUIRE(::sched_getaffinity(0, sizeof before_, &before_) == 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &before_)) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  }
  ~pinned_to_one() { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

}  // namespace

TEST_CASE("a quota that changes is found at the next look") {
  unsigned const cpus = cpus_of_all_threads();
  REQUIRE(cpus >= 1);
  file_tree tree;
  tree.write("/proc/self/cgroup", "0::/a\n");
  tree.write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.write("/sys/fs/cgroup/a/cpu.max", "100000 100000\n");
  CHECK(read_allowance(tree.root(), nowhere) == 1);
  tree.write("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
  CHECK(read_allowance(tree.root(), nowhere) == cpus);
  tree.write("/sys/fs/cgroup/a/cpu.max", "100000000 100000\n");
  CHECK(read_allowance(tree.root(), nowhere) == cpus);
}

TEST_CASE("a pinned thread takes nothing away as long as another one may run elsewhere") {
  unsigned const cpus = cpus_of_all_threads();
  std::atomic<int> step{0};
  std::thread free_one([&] {
    step.store(1);
    step.notify_all();
    step.wait(1);
  });
  step.wait(0);
  unsigned pinned_main = 0;
  {
    pinned_to_one const pin;
    pinned_main = cpus_of_all_threads();
  }
  step.store(2);
  step.notify_all();
  free_one.join();
  CHECK(pinned_main == cpus);
}

TEST_CASE("the recent allowance is not read more than twice a second") {
  unsigned found = 0;
  while (!ashlar::os::recent_allowance(found)) std::this_thread::yield();
  CHECK(found >= 1);
  CHECK(found <= cpus_of_all_threads());
  std::uint64_t const begun = ashlar::os::now_ns();
  std::uint64_t reads = 0;
  for (int i = 0; i < 1000; ++i) reads += ashlar::os::recent_allowance(found);
  CHECK(reads <= (ashlar::os::now_ns() - begun) / 400'000'000 + 1);
}
