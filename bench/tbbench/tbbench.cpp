// SPDX-License-Identifier: Apache-2.0
// TBBench for any TBB: the constructs of the paper, one source for classic TBB, oneTBB and Ashlar. The bodies and loops
// are those that the paper prints, with its names.
#include "region.h"

#include <bench/tbb_peer.h>

#include <tbb/blocked_range.h>
#include <tbb/mutex.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>
#include <tbb/queuing_mutex.h>
#include <tbb/spin_mutex.h>

#if TBB_INTERFACE_VERSION < 12000
#include <tbb/atomic.h>
#endif

#include <atomic>
#include <vector>

namespace tbbench {
namespace {

using range = tbb::blocked_range<int>;

#if TBB_INTERFACE_VERSION < 12000
using atomic_int = tbb::atomic<int>;
void increment(atomic_int& a) { a.fetch_and_add(1); }
#else
using atomic_int = std::atomic<int>;
inline void increment(atomic_int& a) { a.fetch_add(1); }
#endif

class parallel_for_body {
 public:
  void operator()(range const& r) const {
    for (int i = r.begin(); i != r.end(); ++i) {
      delay(delaylength);
    }
  }
};

struct parallel_reduce_body {
  int aaaa = 0;
  parallel_reduce_body() = default;
  parallel_reduce_body(parallel_reduce_body&, tbb::split) {}
  void join(parallel_reduce_body& s) { aaaa = aaaa + s.aaaa; }
  void operator()(range const& r) {
    for (int k = r.begin(); k < r.end(); ++k) {
      aaaa = aaaa + 1;
    }
  }
};

template <typename M>
class lock_body {
 public:
  lock_body(M& m, long share) : mutex_(m), share_(share) {}
  void operator()(range const& r) const {
    typename M::scoped_lock lock;
    for (int i = r.begin(); i != r.end(); ++i) {
      for (long j = 0; j < share_; ++j) {
        lock.acquire(mutex_);
        delay(delaylength);
        lock.release();
      }
    }
  }

 private:
  M& mutex_;
  long share_;
};

class atomic_body {
 public:
  atomic_body(atomic_int& a, long share) : aaaa_(a), share_(share) {}
  void operator()(range const& r) const {
    for (int i = r.begin(); i != r.end(); ++i) {
      for (long j = 0; j < share_; ++j) {
        increment(aaaa_);
      }
    }
  }

 private:
  atomic_int& aaaa_;
  long share_;
};

// The paper prints the repetitions inside the iteration.
class printed_schedule_body {
 public:
  explicit printed_schedule_body(long repetitions) : repetitions_(repetitions) {}
  void operator()(range const& r) const {
    for (int i = r.begin(); i != r.end(); ++i) {
      for (long j = 0; j < repetitions_; ++j) {
        delay(delaylength);
      }
    }
  }

 private:
  long repetitions_;
};

void measure_parallel_for(bench::report& r) {
  std::vector<int> visits(static_cast<std::size_t>(nthreads));
  tbb::parallel_for(range(0, nthreads, 1), [&](range const& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      ++visits[static_cast<std::size_t>(i)];
    }
  });
  r.check(visits == std::vector<int>(static_cast<std::size_t>(nthreads), 1), "parallel_for visits each index once");
  // All threads together execute nthreads delays a repetition: T_s / P is one.
  measure(
      r,
      [](long n) {
        for (long j = 0; j < n; ++j) {
          tbb::parallel_for(range(0, nthreads, 1), parallel_for_body());
        }
      },
      serial_delays, 1);
}

void measure_parallel_reduce(bench::report& r) {
  parallel_reduce_body b;
  unsigned expected = 0;
  auto region = [&](long n) {
    for (long j = 0; j < n; ++j) {
      tbb::parallel_reduce(range(1, 3, 1), b);
    }
    expected += 2u * static_cast<unsigned>(n);
  };
  auto reference = [](long n) {
    parallel_reduce_body serial;
    for (long j = 0; j < n; ++j) {
      serial(range(1, 3, 1));
      __asm__ volatile("" : "+m"(serial));
    }
  };
  measure(r, region, reference, nthreads);
  r.check(static_cast<unsigned>(b.aaaa) == expected, "parallel_reduce counts every iteration");
}

template <typename M>
void measure_lock(bench::report& r) {
  M mutex;
  long counted = 0;
  tbb::parallel_for(range(0, 1000, 1), [&](range const& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      typename M::scoped_lock lock(mutex);
      ++counted;
    }
  });
  r.check(counted == 1000, "the lock excludes");
  measure(
      r, [&](long n) { tbb::parallel_for(range(0, nthreads, 1), lock_body<M>(mutex, n / nthreads)); }, serial_delays,
      nthreads);
}

void measure_atomic(bench::report& r) {
  atomic_int aaaa;
  aaaa = 0;
  unsigned expected = 0;
  auto region = [&](long n) {
    tbb::parallel_for(range(0, nthreads, 1), atomic_body(aaaa, n / nthreads));
    expected += static_cast<unsigned>(n);
  };
  auto reference = [](long n) {
    int serial = 0;
    for (long j = 0; j < n; ++j) {
      ++serial;
      __asm__ volatile("" : "+r"(serial));
    }
  };
  measure(r, region, reference, nthreads);
  r.check(static_cast<unsigned>(static_cast<int>(aaaa)) == expected, "no increment is lost");
}

// `loop(range, body)` is the parallel_for under test. As in EPCC, the region is repeated, so that its own cost shows;
// T_s / P is itersperthr delays a repetition.
template <typename Loop>
void measure_schedule(bench::report& r, Loop loop, bool printed) {
  int const count = itersperthr * nthreads;
  std::vector<int> visits(static_cast<std::size_t>(count));
  loop(range(0, count, static_cast<std::size_t>(cksz)), [&](range const& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      ++visits[static_cast<std::size_t>(i)];
    }
  });
  r.check(visits == std::vector<int>(static_cast<std::size_t>(count), 1), "the loop visits each index once");
  auto const all = range(0, count, static_cast<std::size_t>(cksz));
  auto reference = [](long n) { serial_delays(itersperthr * n); };
  if (printed) {
    measure(r, [&](long n) { loop(all, printed_schedule_body(n)); }, reference, 1);
    return;
  }
  auto region = [&](long n) {
    for (long j = 0; j < n; ++j) {
      loop(all, parallel_for_body());
    }
  };
  measure(r, region, reference, 1);
}

struct by_default {
  template <typename Body>
  void operator()(range const& r, Body const& body) const {
    tbb::parallel_for(r, body);
  }
};
template <typename Partitioner>
struct by {
  template <typename Body>
  void operator()(range const& r, Body const& body) const {
    tbb::parallel_for(r, body, Partitioner());
  }
};

bool run_row(bench::options const& o, bench::report& r) {
  static row const rows[] = {
      {"parallel_for", measure_parallel_for},
      {"parallel_reduce", measure_parallel_reduce},
      {"spin_mutex", measure_lock<tbb::spin_mutex>},
      {"queuing_mutex", measure_lock<tbb::queuing_mutex>},
      {"mutex", measure_lock<tbb::mutex>},
      {"atomic", measure_atomic},
      {"chunk", [](bench::report& p) { measure_schedule(p, by_default(), false); }},
      {"simple", [](bench::report& p) { measure_schedule(p, by<tbb::simple_partitioner>(), false); }},
      {"auto", [](bench::report& p) { measure_schedule(p, by<tbb::auto_partitioner>(), false); }},
      {"static", [](bench::report& p) { measure_schedule(p, by<tbb::static_partitioner>(), false); }},
      {"printed-chunk", [](bench::report& p) { measure_schedule(p, by_default(), true); }},
      {"printed-simple", [](bench::report& p) { measure_schedule(p, by<tbb::simple_partitioner>(), true); }},
      {"printed-auto", [](bench::report& p) { measure_schedule(p, by<tbb::auto_partitioner>(), true); }},
  };
  row const* const wanted = find_row(rows, o);
  if (wanted != nullptr) {
    bench::with_threads(nthreads, [&] {
      wanted->measure(r);
      return 0;
    });
  }
  return wanted != nullptr;
}

}  // namespace
}  // namespace tbbench

int main(int argc, char** argv) { return tbbench::program(argc, argv, tbbench::run_row); }
