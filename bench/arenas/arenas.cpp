// SPDX-License-Identifier: Apache-2.0
// What an arena costs: to enter, to leave a function in, and to make; and two application threads that share the
// workers.
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <bench/tbb_peer.h>

#include <bench/fib.h>
#include <bench/sampler.h>

#include <atomic>
#include <thread>

namespace {

int enter(bench::options const& o) {
  bench::report r(o, "ns/execute");
  long const n = o.size ? o.size : 1'000'000;
  tbb::task_arena arena(o.threads);
  arena.initialize();
  long sum = 0;
  bool right = true;
  auto work = [&] {
    sum = 0;
    for (long i = 0; i < n; ++i) arena.execute([&] { ++sum; });
    right = right && sum == n;
  };
  r.ops(static_cast<double>(n));
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, static_cast<double>(n), 1e9);
  }
  r.check(right, "calls");
  return r.finish();
}

int enqueue(bench::options const& o) {
  bench::report r(o, "ns/enqueue");
  long const n = o.size ? o.size : 200'000;
  tbb::task_arena arena(o.threads);
  arena.initialize();
  std::atomic<long> done{0};
  bool right = true;
  auto work = [&] {
    done = 0;
    for (long i = 0; i < n; ++i) arena.enqueue([&] { done.fetch_add(1, std::memory_order_relaxed); });
    while (done.load() != n) std::this_thread::yield();
  };
  r.ops(static_cast<double>(n));
  bench::take_samples(r, work, static_cast<double>(n), 1e9);
  r.check(right && done == n, "functions");
  return r.finish();
}

int lifetime(bench::options const& o) {
  bench::report r(o, "ns/arena");
  long const n = o.size ? o.size : 100'000;
  long sum = 0;
  bool right = true;
  auto work = [&] {
    sum = 0;
    for (long i = 0; i < n; ++i) {
      tbb::task_arena arena(o.threads);
      arena.execute([&] { ++sum; });
    }
    right = right && sum == n;
  };
  r.ops(static_cast<double>(n));
  bench::take_samples(r, work, static_cast<double>(n), 1e9);
  r.check(right, "calls");
  return r.finish();
}

// Two application threads, each a series of loops of 10 microseconds: 64 pieces of 450 steps. ../README.md tells how
// the number was found. The floor: the same loops without a library.
int two(bench::options const& o) {
  bool const cpu = bench::is_row(o, "two-cpu") || bench::is_row(o, "two-floor-cpu");
  bool const bare = bench::is_row(o, "two-floor") || bench::is_row(o, "two-floor-cpu");
  bench::report r(o, cpu ? "us CPU/round" : "us/round");
  long const n = o.size ? o.size : 3'000;
  std::atomic<long> pieces{0};
  bool right = true;
  auto const piece = [](int) {
    for (int spin = 0; spin < 450; ++spin) asm volatile("" : : "r"(spin));
  };
  auto series = [&] {
    for (long i = 0; i < n; ++i) {
      if (bare) {
        for (int k = 0; k < 64; ++k) piece(k);
      } else {
        tbb::parallel_for(0, 64, piece);
      }
    }
    pieces += 64 * n;
  };
  double spent = 0;
  auto work = [&] {
    pieces = 0;
    double const before = bench::cpu_now();
    std::thread other(series);
    series();
    other.join();
    spent = bench::cpu_now() - before;
    right = right && pieces == 128 * n;
  };
  if (cpu) {
    work();
    for (int i = 0; i < o.samples; ++i) {
      work();
      r.add({spent / static_cast<double>(n) * 1e6, 0});
    }
  } else {
    bench::take_samples(r, work, static_cast<double>(n), 1e6);
  }
  r.check(right, "pieces");
  return r.finish();
}

int run(bench::options const& o) {
  if (bench::is_row(o, "execute")) return enter(o);
  if (bench::is_row(o, "enqueue")) return enqueue(o);
  if (bench::is_row(o, "lifetime")) return lifetime(o);
  for (char const* row : {"two", "two-cpu", "two-floor", "two-floor-cpu"}) {
    if (bench::is_row(o, row)) return two(o);
  }
  bench::usage("unknown row", o.row);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  // Not with_threads: its arena would be the one that the calls enter.
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(o.threads));
  return run(o);
}
