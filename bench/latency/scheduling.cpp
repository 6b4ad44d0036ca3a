// SPDX-License-Identifier: Apache-2.0
// How long work waits until it starts: enqueued while the workers have just been at work ("enqueue"), enqueued while
// everybody sleeps ("wake"), spawned while all threads are busy ("spawn"), enqueued with a high priority beside other
// work
// ("priority"); and how long eight application threads wait for an arena ("execute").
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <bench/tbb_peer.h>

#if TBB_INTERFACE_VERSION < 12000
#include <tbb/task.h>
#endif

#include <bench/latencies.h>
#include <bench/sampler.h>

#include <atomic>
#include <thread>
#include <vector>

#include "pace.h"

namespace {

using range = tbb::blocked_range<int>;

// Enqueues one function after the other; the next one follows a while after the last one began.
template <typename Pause>
void one_by_one(tbb::task_arena& arena, bench::latencies& found, long n, Pause pause) {
  std::atomic<long> begun{0};
  for (long i = 0; i < n; ++i) {
    pause();
    double const called = bench::wall_now();
    arena.enqueue([&found, &begun, called, i] {
      found.set(i, bench::micros_since(called));
      begun.store(i + 1, std::memory_order_release);
    });
    while (begun.load(std::memory_order_acquire) != i + 1) bench::short_pause();
  }
}

int enqueue(bench::options const& o) {
  bench::report r(o, "us");
  long const n = o.size ? o.size : 10'000;
  tbb::task_arena arena(o.threads, 0);
  bench::random_gaps gaps(60, 1);
  auto const pause = [&] { bench::spin_until(bench::wall_now() + gaps.next()); };
  bench::latencies warm(n / 10), found(n);
  one_by_one(arena, warm, n / 10, pause);
  bench::bystanders const others;
  one_by_one(arena, found, n, pause);
  r.foreign(others);
  found.into(r);
  return r.finish();
}

// Both threads are pinned: some virtual machines put a woken thread on the waker's CPU, whatever the library does.
int wake(bench::options const& o) {
  bench::report r(o, "us");
  long const n = o.size ? o.size : 400;
  tbb::task_arena arena(o.threads, 0);
  auto const pause = [] { bench::sleep_until(bench::wall_now() + 0.003); };
  bench::latencies warm(20), found(n);
  one_by_one(arena, warm, 20, pause);
  bench::pin_all_threads();
  bench::bystanders const others;
  one_by_one(arena, found, n, pause);
  r.foreign(others);
  found.into(r);
  return r.finish();
}

// Each piece of a loop spawns a task, goes on with its own 10 us and then waits. As nobody is idle, the task can't
// begin before a piece ends.
int spawn(bench::options const& o) {
  bench::report r(o, "us");
  int const n = o.size ? static_cast<int>(o.size) : 40'000;
  bench::latencies found(n);
  std::atomic<int> begun{0};
  auto const piece = [&](int i) {
    tbb::task_group group;
    double const called = bench::wall_now();
    group.run([&, called] {
      found.set(i, bench::micros_since(called));
      begun.fetch_add(1, std::memory_order_relaxed);
    });
    bench::work_for(360);
    group.wait();
  };
  auto const loop = [&](int count) {
    tbb::parallel_for(range(0, count), [&](range const& part) {
      for (int i = part.begin(); i != part.end(); ++i) piece(i);
    });
  };
  loop(n / 4);
  begun = 0;
  bench::bystanders const others;
  loop(n);
  r.foreign(others);
  r.check(begun == n, "tasks");
  found.into(r);
  return r.finish();
}

// A function with a high priority, by the means that the interface has.
#if TBB_INTERFACE_VERSION < 12000
struct urgent {
  explicit urgent(int) {}
  template <typename F>
  struct carrier : tbb::task {
    explicit carrier(F const& f) : f_(f) {}
    tbb::task* execute() override {
      f_();
      return nullptr;
    }
    F f_;
  };
  template <typename F>
  void enqueue(F const& f) {
    tbb::task::enqueue(*new (tbb::task::allocate_root()) carrier<F>(f), tbb::priority_high);
  }
};
#else
struct urgent {
  explicit urgent(int threads) : arena_(threads, 0, tbb::task_arena::priority::high) {}
  template <typename F>
  void enqueue(F const& f) {
    arena_.enqueue(f);
  }
  tbb::task_arena arena_;
};
#endif

// One application thread keeps all threads busy with loops of 20 us pieces; every 500 us or so something urgent comes.
int priority(bench::options const& o) {
  bench::report r(o, "us");
  long const n = o.size ? o.size : 2'500;
  bench::latencies found(n);
  std::atomic<long> begun{0};
  std::atomic<bool> stop{false};
  urgent high(o.threads);
  std::thread busy([&] {
    bench::with_threads(o.threads, [&] {
      while (!stop.load(std::memory_order_relaxed)) tbb::parallel_for(0, 256, [](int) { bench::work_for(720); });
      return 0;
    });
  });
  bench::want_exact_sleeps();
  bench::random_gaps gaps(500, 2);
  bench::sleep_until(bench::wall_now() + 0.1);
  bench::bystanders const others;
  double when = bench::wall_now();
  for (long i = 0; i < n; ++i) {
    bench::sleep_until(when += gaps.next());
    double const called = bench::wall_now();
    high.enqueue([&found, &begun, called, i] {
      found.set(i, bench::micros_since(called));
      begun.fetch_add(1, std::memory_order_release);
    });
  }
  while (begun.load(std::memory_order_acquire) != n) bench::sleep_until(bench::wall_now() + 0.001);
  r.foreign(others);
  stop = true;
  busy.join();
  found.into(r);
  return r.finish();
}

// Eight application threads that sleep most of the time and share an arena of a few slots.
int execute(bench::options const& o) {
  bench::report r(o, "us");
  constexpr int callers = 8;
  long const n = o.size ? o.size : 2'000;  // of each caller
  tbb::task_arena arena(o.threads);
  bench::latencies found(callers * n);
  std::atomic<long> done{0};
  bench::bystanders const others;
  auto const calls = [&](int t) {
    bench::want_exact_sleeps();
    bench::random_gaps gaps(400, 10 + static_cast<unsigned>(t));
    double when = bench::wall_now();
    for (long i = 0; i < n; ++i) {
      when = std::max(when + gaps.next(), bench::wall_now());
      bench::sleep_until(when);
      double const called = bench::wall_now();
      arena.execute([] { bench::work_for(180); });
      found.set(t * n + i, bench::micros_since(called));
      done.fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::vector<std::thread> team;
  for (int t = 0; t < callers; ++t) team.emplace_back(calls, t);
  for (std::thread& t : team) t.join();
  r.foreign(others);
  r.check(done == callers * n, "calls");
  found.into(r);
  return r.finish();
}

int run(bench::options const& o) {
  if (bench::is_row(o, "enqueue")) return enqueue(o);
  if (bench::is_row(o, "wake")) return wake(o);
  if (bench::is_row(o, "spawn")) return spawn(o);
  if (bench::is_row(o, "priority")) return priority(o);
  if (bench::is_row(o, "execute")) return execute(o);
  bench::usage("unknown row", o.row);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  return bench::with_threads(o.threads, [&] { return run(o); });
}
