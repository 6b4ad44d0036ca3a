// SPDX-License-Identifier: Apache-2.0
// Every lock beside a shadow that knows who may be inside: eight threads on few processors lock, try, read, upgrade and
// downgrade at random, and sometimes lose their processor while they hold the lock, so that others sleep.
#include <tbb/critical_section.h>
#include <tbb/mutex.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/reader_writer_lock.h>
#include <tbb/recursive_mutex.h>
#include <tbb/rw_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>

#include <ashlar/sync/os_mutex.h>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

constexpr unsigned threads = 8;
constexpr int steps = 8000;

// What the lock guards. The two counters are plain: only the lock keeps readers from seeing them differ.
class guarded {
 public:
  void write(bool linger) {
    wrong_ += writers_.fetch_add(1) != 0 || readers_.load() != 0;
    ++first_;
    if (linger) std::this_thread::yield();
    ++second_;
    writers_.fetch_sub(1);
  }
  long read(bool linger) {
    readers_.fetch_add(1);
    wrong_ += writers_.load() != 0;
    long const seen = first_;
    if (linger) std::this_thread::yield();
    wrong_ += second_ != seen;
    readers_.fetch_sub(1);
    return seen;
  }
  void expect(bool held) { wrong_ += !held; }
  long writes() const { return second_; }
  int wrong() const { return wrong_.load(); }

 private:
  long first_ = 0;
  long second_ = 0;
  std::atomic<int> writers_{0};
  std::atomic<int> readers_{0};
  std::atomic<int> wrong_{0};
};

struct dice {
  unsigned state;
  unsigned operator()(unsigned sides) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % sides;
  }
};

// step(dice, guarded) returns how often it has written.
template <typename Step>
void storm(Step const& step) {
  guarded data;
  std::atomic<long> writes{0};
  std::vector<std::thread> team;
  for (unsigned t = 0; t < threads; ++t) {
    team.emplace_back([&, t] {
      dice d{t * 7919u + 1};
      long mine = 0;
      for (int i = 0; i < steps; ++i) mine += step(d, data);
      writes += mine;
    });
  }
  for (std::thread& member : team) member.join();
  CHECK(data.wrong() == 0);
  CHECK(data.writes() == writes.load());
  CHECK(writes.load() > steps);
}

template <typename M>
int exclusive_step(M& m, dice& d, guarded& data) {
  typename M::scoped_lock held;
  if (d(4) == 0) {
    if (!held.try_acquire(m)) return 0;
  } else {
    held.acquire(m);
  }
  data.write(d(64) == 0);
  return 1;
}

// A reader that becomes a writer, or the other way round, and perhaps back.
template <typename Lock>
int changing_step(Lock& held, dice& d, guarded& data) {
  int written = 0;
  if (d(2) == 0) {
    long const seen = data.read(d(64) == 0);
    bool const kept = held.upgrade_to_writer();
    data.expect(held.is_writer());
    // Nobody has written meanwhile unless the upgrade says that it had to let go.
    if (kept) data.expect(data.writes() == seen);
    data.write(d(64) == 0);
    written = 1;
  } else {
    held.upgrade_to_writer();
    data.write(d(64) == 0);
    written = 1;
    long const mine = data.writes();
    bool const kept = held.downgrade_to_reader();
    data.expect(!held.is_writer());
    long const seen = data.read(d(64) == 0);
    data.expect(!kept || seen == mine);
  }
  return written;
}
template <typename M>
int shared_step(M& m, dice& d, guarded& data) {
  typename M::scoped_lock held;
  bool const write = d(5) == 0;
  if (d(4) == 0) {
    if (!held.try_acquire(m, write)) return 0;
  } else {
    held.acquire(m, write);
  }
  data.expect(held.is_writer() == write);
  if (write) {
    data.write(d(64) == 0);
    return 1;
  }
  if (d(4) == 0) return changing_step(held, d, data);
  data.read(d(64) == 0);
  return 0;
}

}  // namespace

TEST_CASE_TEMPLATE("exclusive locks under a storm", M, tbb::spin_mutex, tbb::mutex, tbb::queuing_mutex,
                   tbb::recursive_mutex, tbb::speculative_spin_mutex, ashlar::sync::os_mutex) {
  M m;
  storm([&](dice& d, guarded& data) {
    if constexpr (M::is_recursive_mutex) {
      typename M::scoped_lock const outer(m);
      return exclusive_step(m, d, data);
    } else {
      return exclusive_step(m, d, data);
    }
  });
}

TEST_CASE_TEMPLATE("reader-writer locks under a storm", M, tbb::spin_rw_mutex, tbb::rw_mutex, tbb::queuing_rw_mutex,
                   tbb::speculative_spin_rw_mutex) {
  M m;
  storm([&](dice& d, guarded& data) { return shared_step(m, d, data); });
}

TEST_CASE("critical_section under a storm") {
  tbb::critical_section m;
  storm([&](dice& d, guarded& data) {
    if (d(4) == 0) {
      if (!m.try_lock()) return 0;
    } else {
      m.lock();
    }
    data.write(d(64) == 0);
    m.unlock();
    return 1;
  });
}

TEST_CASE("reader_writer_lock under a storm") {
  tbb::reader_writer_lock m;
  storm([&](dice& d, guarded& data) {
    bool const write = d(5) == 0;
    if (d(4) == 0) {
      if (!(write ? m.try_lock() : m.try_lock_read())) return 0;
    } else {
      write ? m.lock() : m.lock_read();
    }
    write ? data.write(d(64) == 0) : void(data.read(d(64) == 0));
    m.unlock();
    return write ? 1 : 0;
  });
}
