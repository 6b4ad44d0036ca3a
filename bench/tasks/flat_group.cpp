// SPDX-License-Identifier: Apache-2.0
// A million tasks run in one task_group by one thread, which then waits: the cost of one.
#include <tbb/task_group.h>

#include <bench/tbb_peer.h>

#include <bench/sampler.h>

#include <atomic>

namespace {

struct alignas(64) counter {
  std::atomic<long> value{0};
};

int measure(bench::options const& o) {
  bench::report r(o, "ns/task");
  long const tasks = o.size != 0 ? o.size : 1000000;
  bool right = true;
  // Each thread counts for itself, so that the tasks are empty but for a proof that they ran.
  static thread_local counter* mine = nullptr;
  static counter counters[256];
  static std::atomic<int> threads{0};
  tbb::task_group group;
  auto work = [&] {
    for (counter& c : counters) c.value.store(0, std::memory_order_relaxed);
    for (long i = 0; i < tasks; ++i) {
      group.run([] {
        if (mine == nullptr) mine = &counters[threads++ % 256];
        mine->value.store(mine->value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      });
    }
    group.wait();
    long sum = 0;
    for (counter& c : counters) sum += c.value.load(std::memory_order_relaxed);
    right = right && sum == tasks;
  };
  r.ops(static_cast<double>(tasks));
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, static_cast<double>(tasks), 1e9);
  }
  r.check(right, "every task runs once");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] { return measure(o); });
}
