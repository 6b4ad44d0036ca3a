// SPDX-License-Identifier: Apache-2.0
// Tasks that suspend themselves and are resumed at once by the function that suspend() calls: a change of stacks and
// back, and what the scheduler does in between.
#include <tbb/task.h>
#include <tbb/task_group.h>

#include <bench/tbb_peer.h>

#include <bench/sampler.h>

#include <atomic>

namespace {

int measure(bench::options const& o) {
  bench::report r(o, "ns/suspend+resume");
  long const times = o.size != 0 ? o.size : 20000;
  bool right = true;
  tbb::task_group group;
  auto work = [&] {
    std::atomic<long> resumed{0};
    group.run([&] {
      for (long i = 0; i < times; ++i) {
        tbb::task::suspend([](tbb::task::suspend_point here) { tbb::task::resume(here); });
        resumed.fetch_add(1, std::memory_order_relaxed);
      }
    });
    group.wait();
    right = right && resumed == times;
  };
  r.ops(static_cast<double>(times));
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, static_cast<double>(times), 1e9);
  }
  r.check(right, "every suspension is resumed");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&o] { return measure(o); });
}
