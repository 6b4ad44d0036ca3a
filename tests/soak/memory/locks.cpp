// SPDX-License-Identifier: Apache-2.0
// Locks: one that all threads take in turn, and others that one thread makes and another ends.
#include "cases.h"

#include <tbb/collaborative_call_once.h>
#include <tbb/mutex.h>
#include <tbb/null_mutex.h>
#include <tbb/parallel_for.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/rw_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#if SOAK_OURS
#include <tbb/aggregator.h>
#include <tbb/critical_section.h>
#include <tbb/reader_writer_lock.h>
#include <tbb/recursive_mutex.h>
#include <tbb/compat/condition_variable>
#endif

#include <condition_variable>

namespace growth {

namespace {

template <typename Mutex>
void scoped(run& r) {
  Mutex shared;
  exchange_objects(
      r, 200,
      [&](long) {
        auto* const own = new Mutex;
        typename Mutex::scoped_lock const guard(shared);
        typename Mutex::scoped_lock const inner(*own);
        return own;
      },
      [&](Mutex& own) {
        typename Mutex::scoped_lock const guard(own);
        typename Mutex::scoped_lock const inner(shared);
      });
}
template <typename Mutex>
void read_and_written(run& r) {
  Mutex shared;
  exchange_objects(
      r, 200,
      [&](long i) {
        auto* const own = new Mutex;
        typename Mutex::scoped_lock guard(shared, i % 4 == 0);
        typename Mutex::scoped_lock const inner(*own, false);
        if (i % 3 == 0) guard.upgrade_to_writer();
        return own;
      },
      [&](Mutex& own) {
        typename Mutex::scoped_lock const guard(own, true);
        typename Mutex::scoped_lock inner(shared, true);
        inner.downgrade_to_reader();
      });
}

// Each waits until another has changed the number.
template <typename Mutex, typename Condition, typename Lock>
void waited(run& r) {
  Mutex m;
  Condition changed;
  long here = 0;
  long ends = 0;
  std::vector<std::thread> threads;
  auto const make = [&] {
    pace p(r.m);
    while (p.step()) {
      Lock guard(m);
      while (here >= 10) changed.wait(guard);
      ++here;
      changed.notify_all();
    }
    Lock const guard(m);
    ++ends;
    changed.notify_all();
  };
  auto const end = [&] {
    while (true) {
      Lock guard(m);
      while (here == 0 && ends < makers(r.form)) changed.wait(guard);
      if (here == 0) return;
      --here;
      changed.notify_all();
    }
  };
  for (unsigned t = 0; t < makers(r.form); ++t) threads.emplace_back(make);
  for (unsigned t = 0; t < enders(r.form); ++t) threads.emplace_back(end);
  for (std::thread& t : threads) t.join();
}

void called_once(run& r) {
  exchange_objects(
      r, 100,
      [](long i) {
        auto* const flag = new tbb::collaborative_once_flag;
        if (i % 2 == 0) tbb::collaborative_call_once(*flag, [] {});
        return flag;
      },
      [](tbb::collaborative_once_flag& flag) {
        tbb::collaborative_call_once(flag, [] { tbb::parallel_for(0, 4, [](int) {}); });
      });
}

#if SOAK_OURS
template <typename Mutex>
void plain(run& r) {
  Mutex shared;
  exchange_objects(
      r, 200,
      [&](long) {
        auto* const own = new Mutex;
        std::lock_guard const guard(shared);
        std::lock_guard const inner(*own);
        return own;
      },
      [&](Mutex& own) {
        std::lock_guard const guard(own);
        std::lock_guard const inner(shared);
      });
}
void read_lock(run& r) {
  tbb::reader_writer_lock shared;
  exchange_objects(
      r, 200,
      [&](long) {
        auto* const own = new tbb::reader_writer_lock;
        tbb::reader_writer_lock::scoped_lock_read const guard(shared);
        tbb::reader_writer_lock::scoped_lock const inner(*own);
        return own;
      },
      [&](tbb::reader_writer_lock& own) {
        tbb::reader_writer_lock::scoped_lock_read const guard(own);
        tbb::reader_writer_lock::scoped_lock const inner(shared);
      });
}
void aggregated(run& r) {
  tbb::aggregator a;
  long sum = 0;
  exchange(r, 200, [&](long) { return a.execute([&] { ++sum; }), item{0}; }, [&](item) { a.execute([&] { --sum; }); });
}
#endif

}  // namespace

void add_locks(table& t) {
  t.push_back({"mutex", 200'000, scoped<tbb::mutex>});
  t.push_back({"spin_mutex", 200'000, scoped<tbb::spin_mutex>});
  t.push_back({"queuing_mutex", 100'000, scoped<tbb::queuing_mutex>});
  t.push_back({"speculative_spin_mutex", 100'000, scoped<tbb::speculative_spin_mutex>});
  t.push_back({"null_mutex", 200'000, scoped<tbb::null_mutex>});
  t.push_back({"rw_mutex", 100'000, read_and_written<tbb::rw_mutex>});
  t.push_back({"spin_rw_mutex", 100'000, read_and_written<tbb::spin_rw_mutex>});
  t.push_back({"queuing_rw_mutex", 100'000, read_and_written<tbb::queuing_rw_mutex>});
  t.push_back({"speculative_spin_rw_mutex", 100'000, read_and_written<tbb::speculative_spin_rw_mutex>});
  t.push_back({"condition_variable_any", 20'000,
               waited<tbb::mutex, std::condition_variable_any, std::unique_lock<tbb::mutex>>});
  t.push_back({"collaborative_call_once", 30'000, called_once});
#if SOAK_OURS
  t.push_back({"recursive_mutex", 200'000, plain<tbb::recursive_mutex>});
  t.push_back({"critical_section", 100'000, plain<tbb::critical_section>});
  t.push_back({"reader_writer_lock", 100'000, read_lock});
  t.push_back({"aggregator", 200'000, aggregated});
  t.push_back({"condition_variable", 20'000,
               waited<tbb::mutex, tbb::interface5::condition_variable, tbb::interface5::unique_lock<tbb::mutex>>});
#endif
}

}  // namespace growth
