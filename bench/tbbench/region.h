// SPDX-License-Identifier: Apache-2.0
// What the TBB programs and their OpenMP twins share: the parameters under the names of the paper, the delay, and the
// measurement of T_p - T_s/P.
//
// Source: A. Marowka, "TBBench: A Micro-Benchmark Suite for Intel Threading Building Blocks", JIPS 8(2), 2012; the
// delay is that of the EPCC OpenMP microbenchmarks, whose design the paper follows.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include <bench/clock.h>
#include <bench/cpu_clock.h>
#include <bench/options.h>
#include <bench/report.h>
#include <bench/threads.h>

namespace tbbench {

inline int delaylength = 500;  // additions of a delay
inline int itersperthr = 128;  // iterations per thread of the scheduling rows
inline int cksz = 1;           // grain size of the scheduling rows
inline int nthreads = 1;
inline long innerreps = 0;  // repetitions of a measurement; 0: as many as fill options::sample_s
inline double mhz = 0;      // clock rate; 0: measured

constexpr int block = 5;  // measurements that share a reference

// Never inlined, so that the reference runs the same instructions as the construct.
__attribute__((noinline)) inline void delay(int length) {
  float a = 0;
  for (int i = 0; i < length; ++i) {
    a += static_cast<float>(i);
  }
  if (a < 0) {
    std::printf("%f \n", static_cast<double>(a));
  }
}

// The reference of the paper: so many delays on one thread.
inline void serial_delays(long count) {
  for (long j = 0; j < count; ++j) {
    delay(delaylength);
  }
}

// A parameter that TBBench does not have ends the program.
inline void read_parameters(bench::options const& o) {
  nthreads = o.threads;
  for (int i = 0; i < o.settings; ++i) {
    bench::setting const& s = o.set[i];
    auto is = [&s](char const* name) { return std::strcmp(s.name, name) == 0; };
    if (is("delaylength")) {
      delaylength = static_cast<int>(s.value);
    } else if (is("innerreps")) {
      innerreps = static_cast<long>(s.value);
    } else if (is("itersperthr")) {
      itersperthr = static_cast<int>(s.value);
    } else if (is("cksz")) {
      cksz = static_cast<int>(s.value);
    } else if (is("mhz")) {
      mhz = s.value;
    } else {
      bench::usage("unknown parameter", s.name);
    }
  }
}

// How fast the core runs; a rate that the user gave is believed.
inline bench::core_speed speed_now() {
  bench::core_speed found = bench::measured_speed();
  found.mhz = mhz > 0 ? mhz : found.mhz;
  return found;
}

template <typename Run>
double seconds(Run& run, long repetitions) {
  double const start = bench::wall_now();
  run(repetitions);
  return bench::wall_now() - start;
}

// Threads share the repetitions of the lock and atomic rows evenly.
inline long whole_share(long repetitions) { return (repetitions + nthreads - 1) / nthreads * nthreads; }

// Warms for options::warm_s, and returns how many repetitions a measurement has.
template <typename Region>
long warm(bench::options const& o, Region& region) {
  double const start = bench::wall_now();
  long n = nthreads;
  double took = 0;
  while (bench::wall_now() - start < o.warm_s || took < o.sample_s / 4) {
    took = seconds(region, n);
    if (took < o.sample_s / 4) {
      n *= 2;
    }
  }
  if (innerreps > 0) {
    return whole_share(innerreps);
  }
  return whole_share(static_cast<long>(1.1 * o.sample_s / took * static_cast<double>(n)) + 1);
}

// Runs the region, untimed, until it uses the cores that it should: workers doze while the reference runs, and some
// kernels put a woken thread beside its waker for tens of milliseconds.
template <typename Region>
void wake(bench::options const& o, Region& region, long n) {
  constexpr double longest_s = 0.040;
  double const start = bench::wall_now();
  double cores = 0, now = start;
  do {
    double const cpu = bench::cpu_now(), wall = now;
    region(whole_share(n / 8 + 1));
    now = bench::wall_now();
    cores = (bench::cpu_now() - cpu) / (now - wall);
  } while (cores < o.cores_min && now - start < longest_s);
}

// Keeps the other cores busy with delays while the reference runs. A core alone runs up to 13 % faster than beside a
// busy one, and that would count as a cost of the construct.
class company {
 public:
  company(int others, bool pinned) {
    for (int i = 0; i < others; ++i) {
      threads_.emplace_back([this, i, pinned] {
        if (pinned) {
          std::vector<int> const& cpus = bench::allowed_cpus();
          bench::pin_thread(0, cpus[static_cast<std::size_t>(i + 1) % cpus.size()]);
        }
        work();
      });
    }
  }
  ~company() {
    set(over);
    for (std::thread& t : threads_) {
      t.join();
    }
  }
  company(company const&) = delete;
  company& operator=(company const&) = delete;
  void come() { set(busy); }
  void leave() {
    set(idle);
    while (working_.load() != 0) {
    }
  }

 private:
  enum state { idle, busy, over };
  void set(state next) {
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      state_.store(next);
    }
    changed_.notify_all();
  }
  void work() {
    for (;;) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return state_.load() != idle; });
        if (state_.load() == over) {
          return;
        }
        working_.fetch_add(1);
      }
      while (state_.load() == busy) {
        delay(delaylength);
      }
      working_.fetch_sub(1);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<state> state_{idle};
  std::atomic<int> working_{0};
  std::vector<std::thread> threads_;
};

// Seconds of the reference, the median of `block` tries, with delays on all other cores that the construct may use: the
// same company for every library, because a core beside one that spins is faster than beside one that works. They are
// seconds of this thread's processor time: where the kernel puts a worker that still spins, or the company, beside this
// thread, the reference would count as much as twice.
template <typename Reference>
double reference_seconds(company& others, Reference& reference, long n, int cores) {
  auto used = [&] {
    double const cpu = bench::cpu_now(), wall = bench::wall_now();
    reference(n / 8 + 1);
    return (bench::cpu_now() - cpu) / (bench::wall_now() - wall);
  };
  if (cores > 1) {
    constexpr double longest_s = 0.040;  // some kernels leave a woken thread beside its waker so long
    others.come();
    for (double const start = bench::wall_now(); used() < 0.9 * cores && bench::wall_now() - start < longest_s;) {
    }
  }
  double ts[block];
  for (double& t : ts) {
    double const start = bench::thread_cpu_now();
    reference(n);
    t = bench::thread_cpu_now() - start;
  }
  others.leave();
  std::nth_element(ts, ts + block / 2, ts + block);
  return ts[block / 2];
}

// Adds samples of (T_p - T_s/P) / innerreps in ns. `region(n)` runs the construct n times; `reference(n)` is the serial
// code whose time, divided by `share`, the construct would need if it cost nothing. Machines have slow windows, so
// every block of measurements has a reference of its own.
template <typename Region, typename Reference>
void measure(bench::report& r, Region region, Reference reference, double share) {
  bench::options const& o = r.opts();
  int const cores = std::min(nthreads, static_cast<int>(bench::allowed_cpus().size()));
  long n = warm(o, region);
  if (o.pin) {
    bench::pin_all_threads();
    n = warm(o, region);
  }
  company others(cores - 1, o.pin);
  double const repetitions = static_cast<double>(n);
  bench::bystanders const strangers;
  double reference_sum = 0, region_sum = 0, rates = 0;
  int good = 0;
  for (int taken = 0; good < o.samples && taken < 3 * o.samples; taken += block) {
    bench::core_speed before = speed_now();
    double const serial = reference_seconds(others, reference, n, cores);
    wake(o, region, n);
    for (int i = 0; i < block && good < o.samples; ++i) {
      double const cpu = bench::cpu_now();
      double const tp = seconds(region, n);
      double const used = (bench::cpu_now() - cpu) / tp;
      if (used < o.cores_min) {
        r.discard();
        continue;
      }
      // Not where workers would doze off meanwhile.
      bench::core_speed const after = nthreads == 1 ? speed_now() : before;
      double const rate = (before.mhz + after.mhz) / 2;
      ++good;
      reference_sum += serial;
      region_sum += tp;
      rates += rate;
      r.add({(tp - serial / share) / repetitions * 1e9, used, tp / repetitions * 1e6 * rate,
             std::min(before.width, after.width)});
      before = after;
    }
  }
  r.foreign(strangers);
  double const count = good ? good : 1, each = 1e9 / repetitions / count;
  r.value("innerreps", repetitions);
  r.value("tp_ns", region_sum * each);
  r.value("ts_ns", reference_sum * each);
  r.value("mhz", rates / count);
}

struct row {
  char const* name;
  void (*measure)(bench::report&);
};

// The row that the command line names; null if it is none of these.
template <std::size_t n>
row const* find_row(row const (&rows)[n], bench::options const& o) {
  row const* const found = std::find_if(rows, rows + n, [&](row const& r) { return bench::is_row(o, r.name); });
  return found == rows + n ? nullptr : found;
}

// The whole program: `run` measures the row that the command line names and returns false if there is none of that
// name.
template <typename Run>
int program(int argc, char** argv, Run run) {
  bench::options o = bench::parse(argc, argv);
  read_parameters(o);
  bench::report r(o, "ns");
  if (!run(o, r)) {
    bench::usage("no row", o.row);
  }
  return r.finish();
}

}  // namespace tbbench
