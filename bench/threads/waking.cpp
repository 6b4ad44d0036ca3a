// SPDX-License-Identifier: Apache-2.0
// How long sleeping threads take until they work. `waking`: T bodies that sleep; the value is when the last has begun,
// beside what one wake costs, measured in the same run. `after-pause`: a short loop that computes, after a pause in
// which everybody has slept; `short-pauses`: shorter loops with serial work between them. The value is their time
// divided by the work / T.
#include "nap.h"
#include "team.h"

#include <bench/report.h>

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr double pause = 0.060;  // everybody has fallen asleep
constexpr double short_pause = 0.020;
constexpr double serial_work = 200e-6;

inline void spin() { __builtin_ia32_pause(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Lets the calling thread run on the n-th of its processors only, or, with more threads than processors, on the last.
void pin_to(int n) {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return;
  int last = -1;
  for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE && seen <= n; ++cpu) {
    if (!CPU_ISSET(cpu, &mine)) continue;
    last = cpu;
    ++seen;
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  sched_setaffinity(0, sizeof one, &one);
}

// The price of one wake as a loop after a pause pays it: from the notification of a sleeping thread until it runs on
// another processor, after both have slept as long as the loop's threads. Pinned, because a kernel that puts the thread
// on the notifier's processor in some runs and not in others gives two different prices.
double one_wake() {
  std::mutex lock;
  std::condition_variable changed;
  double woken = 0;
  bool called = false, ended = false;
  cpu_set_t mine;
  sched_getaffinity(0, sizeof mine, &mine);
  std::thread sleeper([&] {
    pin_to(1);
    std::unique_lock guard(lock);
    while (!ended) {
      changed.wait(guard, [&] { return called || ended; });
      woken = bench::wall_now();
      called = false;
    }
  });
  pin_to(0);
  std::vector<double> waits;
  for (int i = 0; i < 21; ++i) {
    threads::nap(pause);
    double const begin = bench::wall_now();
    {
      std::lock_guard guard(lock);
      called = true;
    }
    changed.notify_one();
    for (bool done = false; !done; spin()) {
      if (!lock.try_lock()) continue;
      done = !called;
      lock.unlock();
    }
    waits.push_back(woken - begin);
  }
  {
    std::lock_guard guard(lock);
    ended = true;
  }
  changed.notify_one();
  sleeper.join();
  sched_setaffinity(0, sizeof mine, &mine);
  return median(waits);
}

int waking(bench::options const& o) {
  bench::report r(o, "us");
  threads::team t(o.threads);
  t.warm();
  std::vector<double> lasts;
  std::size_t const samples = o.size ? static_cast<std::size_t>(o.size) : 15;
  for (std::size_t i = 0; i < samples + 2; ++i) {
    std::vector<double> begun(static_cast<std::size_t>(o.threads));
    threads::nap(pause);
    t.arena().execute([&] {
      double const begin = bench::wall_now();
      tbb::parallel_for(
          tbb::blocked_range<int>(0, o.threads),
          [&](tbb::blocked_range<int> const& part) {
            for (int k = part.begin(); k != part.end(); ++k) {
              begun[static_cast<std::size_t>(k)] = bench::wall_now() - begin;
              threads::nap(0.005);
            }
          },
          tbb::simple_partitioner());
    });
    r.check(*std::min_element(begun.begin(), begun.end()) > 0, "bodies");
    if (i >= 2) lasts.push_back(*std::max_element(begun.begin(), begun.end()));
  }
  double const last = median(lasts), wake = one_wake();
  r.value("one_wake", wake * 1e6);
  r.value("last", last * 1e6);
  r.value("share", last / wake / (2 * std::log2(o.threads)));
  r.add({last * 1e6, 0});
  return r.finish();
}

void compute_for(double seconds) {
  double const until = bench::wall_now() + seconds;
  while (bench::wall_now() < until) spin();
}

struct repeated_loop {
  int pieces;
  double piece;  // seconds
  long loops;    // of a run
};

template <typename Pause>
int loops_and_pauses(bench::options const& o, repeated_loop what, Pause pause_before) {
  bench::report r(o, "x ideal");
  threads::team t(o.threads);
  t.warm();
  long const samples = o.size ? o.size : what.loops;
  double spent = 0;
  std::atomic<long> ran{0};
  for (long i = 0; i < samples; ++i) {
    pause_before();
    t.arena().execute([&] {
      double const begin = bench::wall_now();
      tbb::parallel_for(0, what.pieces, [&](int) {
        compute_for(what.piece);
        ran.fetch_add(1, std::memory_order_relaxed);
      });
      spent += bench::wall_now() - begin;
    });
  }
  r.check(ran == samples * what.pieces, "pieces");
  int const processors = std::min<int>(o.threads, static_cast<int>(std::thread::hardware_concurrency()));
  r.add({spent / static_cast<double>(samples) / (what.pieces * what.piece / processors), 0});
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  threads::want_exact_sleeps();
  try {
    if (bench::is_row(o, "waking")) return waking(o);
    if (bench::is_row(o, "after-pause")) {
      return loops_and_pauses(o, {64, 50e-6, 40}, [] { threads::nap(short_pause); });
    }
    if (bench::is_row(o, "short-pauses")) {
      return loops_and_pauses(o, {16, 10e-6, 1000}, [] { compute_for(serial_work); });
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", o.row, error.what());
    return 1;
  }
  bench::usage("unknown row", o.row);
}
