// SPDX-License-Identifier: Apache-2.0
// Costs of every lock that both dialects of TBB have. A row is "<lock>/<what>":
//   empty   exclusive lock around the increment of a counter
//   cs100   the same with 100 ns of work inside and 100 ns outside
//   read    shared lock around the reading of a counter
//   mix     95 % read, 5 % exclusive
// One operation is one critical section. floor/cs100 is cs100 by two threads that take turns without a lock.
#include "team.h"

#include <tbb/mutex.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#if __has_include(<tbb/rw_mutex.h>)
#include <tbb/rw_mutex.h>
#define BENCH_HAS_RW_MUTEX 1
#endif

#include <cstring>

namespace {

enum class what { empty, cs100, read, mix };

// Each part on lines of its own, so that a lock is not measured with its data's line.
template <typename Mutex>
struct alignas(128) shared_state {
  Mutex mutex;
  alignas(128) long counter = 0;
  alignas(128) long writes = 0;
};

void turn(unsigned& x, long rounds) {
  for (long i = 0; i < rounds; ++i) {
    x = x * 2654435761u + 1u;
    __asm__ volatile("" : "+r"(x));
  }
}

// Rounds that take 100 ns on this processor; the fastest of some trials, so that no interruption is taken for work.
long rounds_of_100_ns() {
  constexpr long rounds = 100'000;
  unsigned x = 1;
  double best = 1;
  for (int trial = 0; trial < 20; ++trial) {
    double const start = bench::wall_now();
    turn(x, rounds);
    double const took = bench::wall_now() - start;
    best = took < best ? took : best;
  }
  return static_cast<long>(100e-9 / best * rounds);
}

long rounds_of_work = 0;

void work(unsigned& x) { turn(x, rounds_of_work); }

struct alignas(128) tally {
  long writes = 0;
};

template <typename Mutex, what What>
long step(shared_state<Mutex>& s, tally& mine, std::atomic<bool> const& stop, int thread) {
  using lock = typename Mutex::scoped_lock;
  unsigned x = static_cast<unsigned>(thread);
  unsigned dice = x * 747796405u + 1;
  long n = 0;
  for (; !stop.load(std::memory_order_relaxed); ++n) {
    if constexpr (What == what::empty || What == what::cs100) {
      {
        lock guard(s.mutex);
        ++s.counter;
        if (What == what::cs100) work(x);
      }
      ++mine.writes;
      if (What == what::cs100) work(x);
    } else {
      dice = dice * 747796405u + 2891336453u;
      if (What == what::mix && dice < 0xffffffffu / 20) {
        lock guard(s.mutex, true);
        ++s.counter;
        ++mine.writes;
      } else {
        lock guard(s.mutex, false);
        __asm__ volatile("" : : "r"(s.counter));
      }
    }
  }
  return n;
}

template <typename Mutex, what What>
int measure(bench::options const& o) {
  shared_state<Mutex> s;
  rounds_of_work = rounds_of_100_ns();
  std::vector<tally> tallies(static_cast<std::size_t>(o.threads));
  bench::report r(o, "ns/op");
  r.value("fair", bench::run_team(o, r, [&](int thread, std::atomic<bool> const& stop) {
            return step<Mutex, What>(s, tallies[static_cast<std::size_t>(thread)], stop, thread);
          }));
  r.value("sizeof", static_cast<double>(sizeof(Mutex)));
  long writes = 0;
  for (tally const& t : tallies) writes += t.writes;
  r.check(writes == s.counter, "counter");
  return r.finish();
}

// What a section costs if it goes from one processor to the other each time, and nothing is lost on the way.
int measure_turns(bench::options const& o) {
  if (o.threads != 2) bench::usage("two threads take turns", o.row);
  struct alignas(128) {
    std::atomic<int> next{0};
    alignas(128) long counter = 0;
  } shared;
  rounds_of_work = rounds_of_100_ns();
  std::atomic<long> sections{0};
  bench::report r(o, "ns/op");
  r.value("fair", bench::run_team(o, r, [&](int thread, std::atomic<bool> const& stop) {
            unsigned x = static_cast<unsigned>(thread);
            long n = 0;
            for (; !stop.load(std::memory_order_relaxed); ++n) {
              while (shared.next.load(std::memory_order_acquire) != thread) {
                if (stop.load(std::memory_order_relaxed)) return sections += n, n;
              }
              ++shared.counter;
              work(x);
              shared.next.store(1 - thread, std::memory_order_release);
              work(x);
            }
            return sections += n, n;
          }));
  r.check(sections.load() == shared.counter, "counter");
  return r.finish();
}

template <typename Mutex>
int measure_lock(bench::options const& o, char const* mode) {
  if (std::strcmp(mode, "empty") == 0) return measure<Mutex, what::empty>(o);
  if (std::strcmp(mode, "cs100") == 0) return measure<Mutex, what::cs100>(o);
  if constexpr (Mutex::is_rw_mutex) {
    if (std::strcmp(mode, "read") == 0) return measure<Mutex, what::read>(o);
    if (std::strcmp(mode, "mix") == 0) return measure<Mutex, what::mix>(o);
  }
  bench::usage("no such row", o.row);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  char const* const mode = std::strchr(o.row, '/');
  if (mode == nullptr) bench::usage("a row is <lock>/<what>", o.row);
  if (std::strcmp(o.row, "floor/cs100") == 0) return measure_turns(o);
  auto const is = [&](char const* lock) {
    return std::strlen(lock) == static_cast<std::size_t>(mode - o.row) &&
           std::strncmp(o.row, lock, std::strlen(lock)) == 0;
  };
  if (is("spin_mutex")) return measure_lock<tbb::spin_mutex>(o, mode + 1);
  if (is("mutex")) return measure_lock<tbb::mutex>(o, mode + 1);
  if (is("queuing_mutex")) return measure_lock<tbb::queuing_mutex>(o, mode + 1);
  if (is("spin_rw_mutex")) return measure_lock<tbb::spin_rw_mutex>(o, mode + 1);
  if (is("queuing_rw_mutex")) return measure_lock<tbb::queuing_rw_mutex>(o, mode + 1);
#ifdef BENCH_HAS_RW_MUTEX
  if (is("rw_mutex")) return measure_lock<tbb::rw_mutex>(o, mode + 1);
#endif
  bench::usage("no such lock", o.row);
}
