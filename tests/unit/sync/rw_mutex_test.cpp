// SPDX-License-Identifier: Apache-2.0
// What all reader-writer locks promise.
#include <tbb/queuing_rw_mutex.h>
#include <tbb/reader_writer_lock.h>
#include <tbb/rw_mutex.h>
#include <tbb/spin_rw_mutex.h>

#include <ashlar/sync/wait_on.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace {

template <typename Condition>
void wait_until(Condition const& condition) {
  while (!condition()) std::this_thread::yield();
}

bool somebody_sleeps_on(void const* address) {
  ashlar::sync::wait_bucket& b = ashlar::sync::bucket_of(address);
  // The list's head is guarded by the bucket's lock.
  while (b.locked.exchange(1, ashlar::mo::acquire) != 0) std::this_thread::yield();
  bool const found = b.first != nullptr;
  b.locked.store(0, ashlar::mo::release);
  return found;
}

template <typename M>
bool try_from_elsewhere(M& m, bool write) {
  bool got = false;
  std::thread([&] {
    typename M::scoped_lock l;
    got = l.try_acquire(m, write);
  }).join();
  return got;
}

}  // namespace

TEST_CASE_TEMPLATE("readers share, writers don't", M, tbb::spin_rw_mutex, tbb::rw_mutex, tbb::queuing_rw_mutex,
                   tbb::speculative_spin_rw_mutex) {
  using lock = typename M::scoped_lock;
  M m;
  {
    lock r(m, false);
    CHECK_FALSE(r.is_writer());
    CHECK(try_from_elsewhere(m, false));
    CHECK_FALSE(try_from_elsewhere(m, true));
    lock second(m, false);
    r.release();
    CHECK_FALSE(try_from_elsewhere(m, true));
  }
  lock w(m);
  CHECK(w.is_writer());
  CHECK_FALSE(try_from_elsewhere(m, false));
  CHECK_FALSE(try_from_elsewhere(m, true));
  w.release();
  CHECK(try_from_elsewhere(m, true));

  // Readers and writers together: a writer makes two variables differ only while it is alone.
  long a = 0;
  long b = 0;
  std::atomic<int> torn{0};
  std::vector<std::thread> team;
  for (int t = 0; t < 6; ++t) {
    team.emplace_back([&, t] {
      for (int i = 0; i < 4000; ++i) {
        bool const write = (i + t) % 8 == 0;
        lock const l(m, write);
        if (write) {
          ++a;
          ++b;
        } else if (a != b) {
          torn.fetch_add(1);
        }
      }
    });
  }
  for (auto& t : team) t.join();
  CHECK(torn.load() == 0);
  CHECK(a == 6 * 500);
}

TEST_CASE_TEMPLATE("standard SharedLockable", M, tbb::spin_rw_mutex, tbb::rw_mutex, tbb::speculative_spin_rw_mutex) {
  M m;
  auto const elsewhere = [](auto const& attempt) {
    bool got = false;
    std::thread([&] { got = attempt(); }).join();
    return got;
  };
  auto const reads = [&] { return m.try_lock_shared() && (m.unlock_shared(), true); };
  auto const writes = [&] { return m.try_lock() && (m.unlock(), true); };
  {
    std::shared_lock<M> const reader(m);
    CHECK(elsewhere(reads));
    CHECK_FALSE(elsewhere(writes));
    CHECK(try_from_elsewhere(m, false));
    CHECK_FALSE(try_from_elsewhere(m, true));
  }
  {
    std::unique_lock<M> const writer(m);
    CHECK_FALSE(elsewhere(reads));
    CHECK_FALSE(elsewhere(writes));
    CHECK_FALSE(try_from_elsewhere(m, false));
  }
  {
    typename M::scoped_lock const writer(m);
    CHECK_FALSE(elsewhere(reads));
  }
  CHECK(elsewhere(writes));

  // Writers of one kind and readers of the other never see half of a change.
  long a = 0, b = 0;
  std::atomic<int> torn{0};
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t) {
    team.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        if (t == 0) {
          std::lock_guard<M> const l(m);
          ++a, ++b;
        } else if (t == 1) {
          typename M::scoped_lock const l(m);
          ++a, ++b;
        } else {
          std::shared_lock<M> const l(m);
          if (a != b) torn.fetch_add(1);
        }
      }
    });
  }
  for (auto& t : team) t.join();
  CHECK(torn.load() == 0);
  CHECK(a == 4000);
}

TEST_CASE_TEMPLATE("upgrade and downgrade", M, tbb::spin_rw_mutex, tbb::rw_mutex, tbb::queuing_rw_mutex,
                   tbb::speculative_spin_rw_mutex) {
  using lock = typename M::scoped_lock;
  M m;
  {
    lock l(m, false);
    CHECK(l.upgrade_to_writer());
    CHECK(l.is_writer());
    CHECK(l.upgrade_to_writer());
    CHECK_FALSE(try_from_elsewhere(m, false));
    CHECK(l.downgrade_to_reader());
    CHECK_FALSE(l.is_writer());
    CHECK(l.downgrade_to_reader());
    CHECK(try_from_elsewhere(m, false));
    CHECK_FALSE(try_from_elsewhere(m, true));
  }
  CHECK(try_from_elsewhere(m, true));

  // An upgrade waits for the other readers.
  std::atomic<bool> reading{false};
  std::atomic<bool> leave{false};
  std::atomic<bool> left{false};
  std::thread other([&] {
    lock l(m, false);
    reading.store(true);
    wait_until([&] { return leave.load(); });
    left.store(true);
  });
  wait_until([&] { return reading.load(); });
  lock l(m, false);
  std::thread releaser([&] {
    // Long enough for the upgrader to give up spinning, where it can.
    for (int i = 0; i < 2000; ++i) std::this_thread::yield();
    leave.store(true);
  });
  CHECK(l.upgrade_to_writer());
  CHECK(left.load());
  releaser.join();
  other.join();
}

TEST_CASE_TEMPLATE("of two readers that upgrade at most one keeps the lock", M, tbb::spin_rw_mutex, tbb::rw_mutex,
                   tbb::queuing_rw_mutex, tbb::speculative_spin_rw_mutex) {
  using lock = typename M::scoped_lock;
  M m;
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> readers{0};
    std::atomic<int> kept{0};
    int version = 0;
    std::vector<std::thread> team;
    for (int t = 0; t < 3; ++t) {
      team.emplace_back([&] {
        lock l(m, false);
        readers.fetch_add(1);
        wait_until([&] { return readers.load() == 3; });
        int const seen = version;
        if (l.upgrade_to_writer()) {
          kept.fetch_add(1);
          // Nobody has written since this thread began to read.
          CHECK(version == seen);
        }
        ++version;
      });
    }
    for (auto& t : team) t.join();
    REQUIRE(version == 3);
    REQUIRE(kept.load() <= 1);
  }
}

TEST_CASE_TEMPLATE("a waiting writer keeps new readers out", M, tbb::spin_rw_mutex, tbb::rw_mutex) {
  M m;
  m.lock_shared();
  std::atomic<bool> wrote{false};
  std::thread writer([&] {
    m.lock();
    wrote.store(true);
    m.unlock();
  });
  wait_until([&] {
    bool const in = m.try_lock_shared();
    if (in) m.unlock_shared();
    return !in;
  });
  CHECK_FALSE(wrote.load());
  m.unlock_shared();
  writer.join();
  CHECK(wrote.load());
  CHECK(m.try_lock_shared());
  m.unlock_shared();
}

TEST_CASE_TEMPLATE("readers that follow each other without a gap let a writer in", M, tbb::spin_rw_mutex, tbb::rw_mutex,
                   tbb::queuing_rw_mutex, tbb::speculative_spin_rw_mutex) {
  using lock = typename M::scoped_lock;
  using clock = std::chrono::steady_clock;
  M m;
  std::atomic<bool> written{false};
  std::atomic<int> inside{0};
  auto const end = clock::now() + std::chrono::seconds(20);
  std::vector<std::thread> readers;
  for (int i = 0; i != 8; ++i) {
    readers.emplace_back([&] {
      while (!written && clock::now() < end) {
        lock const l(m, false);
        ++inside;
        // Until another reader is inside, as far as one can come in.
        for (int n = 0; n != 1000 && inside < 2; ++n) std::this_thread::sleep_for(std::chrono::microseconds(100));
        --inside;
      }
    });
  }
  wait_until([&] { return inside != 0; });
  {
    lock const l(m, true);
    written = true;
  }
  bool const in_time = clock::now() < end;
  for (std::thread& t : readers) t.join();
  CHECK(in_time);
}

TEST_CASE_TEMPLATE("standard SharedLockable", M, tbb::spin_rw_mutex, tbb::rw_mutex) {
  M m;
  std::shared_lock<M> a(m);
  std::shared_lock<M> b(m);
  CHECK_FALSE(m.try_lock());
  a.unlock();
  b.unlock();
  std::unique_lock<M> w(m);
  CHECK_FALSE(m.try_lock_shared());
  CHECK_FALSE(m.try_lock());
}

TEST_CASE("spin_rw_mutex: unlock() ends what lock_read() began, also while a writer waits") {
  tbb::spin_rw_mutex m;
  m.lock_read();
  CHECK(m.try_lock_read());
  CHECK(!m.try_lock());
  std::atomic<bool> entered{false};
  std::thread writer([&] {
    m.lock();
    entered.store(true);
    m.unlock();
  });
  while (m.try_lock_read()) m.unlock();  // until the writer has claimed
  m.unlock();
  CHECK(!entered.load());
  m.unlock();
  writer.join();
  CHECK(entered.load());
  CHECK(m.try_lock());
  m.unlock();
  CHECK(m.try_lock_read());
  m.unlock();
}

TEST_CASE("rw_mutex: sleeping readers and writers are woken") {
  tbb::rw_mutex m;
  m.lock();
  std::atomic<int> done{0};
  std::vector<std::thread> team;
  for (int i = 0; i < 6; ++i) {
    team.emplace_back([&, i] {
      tbb::rw_mutex::scoped_lock const l(m, i % 3 == 0);
      done.fetch_add(1);
    });
  }
  // Far longer than a thread spins.
  for (int i = 0; i < 5000; ++i) std::this_thread::yield();
  CHECK(done.load() == 0);
  m.unlock();
  for (auto& t : team) t.join();
  CHECK(done.load() == 6);
}

TEST_CASE("rw_mutex: a writer that has slept and becomes a reader keeps nobody out") {
  tbb::rw_mutex m;
  m.lock();
  std::atomic<bool> reads{false};
  std::atomic<bool> go{false};
  std::thread other([&] {
    tbb::rw_mutex::scoped_lock l(m, true);
    l.downgrade_to_reader();
    reads.store(true);
    wait_until([&] { return go.load(); });
  });
  wait_until([&] { return somebody_sleeps_on(&m); });
  m.unlock();
  wait_until([&] { return reads.load(); });
  CHECK(m.try_lock_shared());
  m.unlock_shared();
  go.store(true);
  other.join();
  CHECK(m.try_lock_shared());
  m.unlock_shared();
}

TEST_CASE("queuing_rw_mutex: waiters that can't be listed get the lock too") {
  using core = ashlar::sync::queuing_rw;
  ashlar::atomic<core::word> word{0};
  ashlar::sync::queuing_node writer_node;
  core::enter_unlisted(word, true);
  std::atomic<int> readers{0};
  std::vector<std::thread> team;
  for (int i = 0; i < 3; ++i) {
    team.emplace_back([&, i] {
      ashlar::sync::queuing_node node;
      if (i == 0) {
        core::acquire(word, node, false);
      } else {
        core::enter_unlisted(word, false);
      }
      readers.fetch_add(1);
      wait_until([&] { return readers.load() == 3; });
      core::leave_reader(word);
    });
  }
  CHECK(readers.load() == 0);
  core::leave_writer(word, writer_node);
  for (auto& t : team) t.join();
  CHECK(word.load(ashlar::mo::relaxed) == 0);
}

TEST_CASE("queuing_rw_mutex: more readers than the word can count") {
  // 16383 readers fit; the next one waits until one has left.
  constexpr int most = 16383;
  tbb::queuing_rw_mutex m;
  std::vector<tbb::queuing_rw_mutex::scoped_lock> locks(most);
  for (auto& l : locks) l.acquire(m, false);
  CHECK_FALSE(try_from_elsewhere(m, false));
  std::atomic<bool> in{false};
  std::thread late([&] {
    tbb::queuing_rw_mutex::scoped_lock const l(m, false);
    in.store(true);
  });
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
  CHECK_FALSE(in.load());
  locks.front().release();
  late.join();
  CHECK(in.load());
}

TEST_CASE("reader_writer_lock") {
  tbb::reader_writer_lock m;
  {
    tbb::reader_writer_lock::scoped_lock_read a(m);
    tbb::interface5::reader_writer_lock::scoped_lock_read b(m);
    CHECK_FALSE(m.try_lock());
    CHECK(m.try_lock_read());
    m.unlock();
  }
  {
    tbb::reader_writer_lock::scoped_lock w(m);
    CHECK_THROWS_AS(m.lock(), tbb::improper_lock);
    CHECK_THROWS_AS(m.lock_read(), tbb::improper_lock);
    CHECK_FALSE(m.try_lock());
    CHECK_FALSE(m.try_lock_read());
    bool other = true;
    std::thread([&] { other = m.try_lock_read(); }).join();
    CHECK_FALSE(other);
  }
  long value = 0;
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t) {
    team.emplace_back([&] {
      for (int i = 0; i < 3000; ++i) {
        if (i % 2) {
          m.lock();
          ++value;
          m.unlock();
        } else {
          m.lock_read();
          CHECK(value >= 0);
          m.unlock();
        }
      }
    });
  }
  for (auto& t : team) t.join();
  CHECK(value == 6000);
}
