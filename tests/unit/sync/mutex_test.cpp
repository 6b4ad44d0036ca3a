// SPDX-License-Identifier: Apache-2.0
// What all exclusive locks promise.
#include <tbb/critical_section.h>
#include <tbb/mutex.h>
#include <tbb/null_mutex.h>
#include <tbb/null_rw_mutex.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/recursive_mutex.h>
#include <tbb/rw_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>

#include <ashlar/sync/os_mutex.h>
#include <ashlar/sync/wait_on.h>

#include <doctest/doctest.h>

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using ashlar::sync::os_mutex;

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

// Threads that count with a plain variable; more threads than processors.
template <typename Enter>
void count_together(int threads, int each, Enter const& enter) {
  long counter = 0;
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t) {
    team.emplace_back([&] {
      for (int i = 0; i < each; ++i) enter([&] { ++counter; });
    });
  }
  for (auto& t : team) t.join();
  CHECK(counter == static_cast<long>(threads) * each);
}

}  // namespace

TEST_CASE_TEMPLATE("scoped_lock", M, tbb::spin_mutex, tbb::mutex, os_mutex, tbb::recursive_mutex, tbb::queuing_mutex,
                   tbb::spin_rw_mutex, tbb::rw_mutex, tbb::queuing_rw_mutex, tbb::speculative_spin_mutex,
                   tbb::speculative_spin_rw_mutex) {
  using lock = typename M::scoped_lock;
  static_assert(!std::is_copy_constructible<M>::value && !std::is_copy_assignable<M>::value);
  static_assert(!std::is_copy_constructible<lock>::value && !std::is_copy_assignable<lock>::value);
  static_assert(std::is_default_constructible<lock>::value);
  M m;
  auto const taken = [&m] {
    bool result = false;
    std::thread([&] {
      lock l;
      result = !l.try_acquire(m);
    }).join();
    return result;
  };
  CHECK_FALSE(taken());
  {
    lock l(m);
    CHECK(taken());
  }
  CHECK_FALSE(taken());
  {
    lock l;
    l.acquire(m);
    CHECK(taken());
    l.release();
    CHECK_FALSE(taken());
    REQUIRE(l.try_acquire(m));
    CHECK(taken());
  }
  CHECK_FALSE(taken());
  count_together(6, 5000, [&m](auto const& section) {
    lock const l(m);
    section();
  });
  count_together(4, 2000, [&m](auto const& section) {
    for (lock l;; std::this_thread::yield()) {
      if (l.try_acquire(m)) {
        section();
        return;
      }
    }
  });
}

TEST_CASE_TEMPLATE("standard Lockable", M, tbb::spin_mutex, tbb::mutex, os_mutex, tbb::recursive_mutex,
                   tbb::spin_rw_mutex, tbb::rw_mutex, tbb::critical_section, tbb::speculative_spin_mutex,
                   tbb::speculative_spin_rw_mutex) {
  M m;
  count_together(6, 5000, [&m](auto const& section) {
    std::lock_guard<M> const l(m);
    section();
  });
  std::unique_lock<M> l(m);
  bool other = true;
  std::thread([&] { other = m.try_lock(); }).join();
  CHECK_FALSE(other);
  l.unlock();
  REQUIRE(l.try_lock());
}

// A section that speculates must not run beside one that holds the lock by lock().
TEST_CASE_TEMPLATE("lock() and scoped_lock exclude each other", M, tbb::spin_mutex, tbb::mutex, tbb::spin_rw_mutex,
                   tbb::rw_mutex, tbb::speculative_spin_mutex, tbb::speculative_spin_rw_mutex) {
  M m;
  std::atomic<int> turn{0};
  count_together(6, 5000, [&](auto const& section) {
    if (turn.fetch_add(1) % 2 == 0) {
      typename M::scoped_lock const l(m);
      section();
    } else {
      std::lock_guard<M> const l(m);
      section();
    }
  });
  m.lock();
  bool got = true;
  std::thread([&] { got = typename M::scoped_lock().try_acquire(m); }).join();
  CHECK_FALSE(got);
  m.unlock();
  {
    typename M::scoped_lock const l(m);
    std::thread([&] { got = m.try_lock(); }).join();
    CHECK_FALSE(got);
  }
}

TEST_CASE("sizes and traits") {
  static_assert(sizeof(tbb::spin_mutex) == 1);
  static_assert(sizeof(tbb::mutex) == 1);
  static_assert(sizeof(os_mutex) == sizeof(pthread_mutex_t));  // 40 on x86-64, 48 on 64-bit Arm
  static_assert(sizeof(tbb::recursive_mutex) == sizeof(pthread_mutex_t));
  static_assert(sizeof(tbb::spin_rw_mutex) == 8);
  static_assert(sizeof(tbb::rw_mutex) == 8);
  static_assert(sizeof(tbb::queuing_mutex) == 8);
  static_assert(sizeof(tbb::queuing_rw_mutex) == 8);
  static_assert(alignof(tbb::speculative_spin_mutex) == 128);
  static_assert(alignof(tbb::speculative_spin_rw_mutex) == 128);

  static_assert(!tbb::spin_mutex::is_rw_mutex && !tbb::spin_mutex::is_recursive_mutex &&
                !tbb::spin_mutex::is_fair_mutex);
  static_assert(!tbb::mutex::is_rw_mutex && !tbb::mutex::is_recursive_mutex && !tbb::mutex::is_fair_mutex);
  static_assert(!tbb::queuing_mutex::is_rw_mutex && tbb::queuing_mutex::is_fair_mutex);
  static_assert(tbb::queuing_rw_mutex::is_rw_mutex && tbb::queuing_rw_mutex::is_fair_mutex);
  static_assert(tbb::spin_rw_mutex::is_rw_mutex && !tbb::spin_rw_mutex::is_fair_mutex);
  static_assert(tbb::rw_mutex::is_rw_mutex && !tbb::rw_mutex::is_fair_mutex);
  static_assert(tbb::recursive_mutex::is_recursive_mutex && !tbb::recursive_mutex::is_rw_mutex);
  static_assert(tbb::null_mutex::is_recursive_mutex && tbb::null_mutex::is_fair_mutex && !tbb::null_mutex::is_rw_mutex);
  static_assert(tbb::null_rw_mutex::is_recursive_mutex && tbb::null_rw_mutex::is_fair_mutex &&
                tbb::null_rw_mutex::is_rw_mutex);
  static_assert(tbb::critical_section::is_fair_mutex && !tbb::critical_section::is_recursive_mutex);
  // All zero bits are the unlocked state: classic programs rely on it for static objects.
  alignas(8) static unsigned char zeros[8];
  auto& m = reinterpret_cast<tbb::spin_mutex&>(zeros);
  CHECK(m.try_lock());
  m.unlock();
}

TEST_CASE("null mutexes let everybody in") {
  tbb::null_mutex m;
  tbb::null_mutex::scoped_lock a(m);
  tbb::null_mutex::scoped_lock b;
  b.acquire(m);
  CHECK(b.try_acquire(m));
  b.release();
  m.lock();
  CHECK(m.try_lock());
  m.unlock();
  tbb::null_rw_mutex rw;
  tbb::null_rw_mutex::scoped_lock c(rw, true);
  tbb::null_rw_mutex::scoped_lock d(rw);
  CHECK(d.try_acquire(rw, false));
  CHECK(d.upgrade_to_writer());
  CHECK(d.downgrade_to_reader());
  CHECK(d.is_writer());
  d.release();
  rw.lock();
  CHECK(rw.try_lock());
  rw.unlock();
  rw.lock_shared();
  CHECK(rw.try_lock_shared());
  rw.unlock_shared();
}

TEST_CASE("mutex: waiting threads go to sleep and are woken one by one") {
  tbb::mutex m;
  int inside = 0;
  std::atomic<int> entered{0};
  m.lock();
  std::vector<std::thread> team;
  for (int i = 0; i < 3; ++i) {
    team.emplace_back([&] {
      tbb::mutex::scoped_lock const l(m);
      CHECK(++inside == 1);
      entered.fetch_add(1);
      --inside;
    });
  }
  wait_until([&] { return somebody_sleeps_on(&m); });
  CHECK(entered.load() == 0);
  m.unlock();
  for (auto& t : team) t.join();
  CHECK(entered.load() == 3);
}

TEST_CASE("mutex: may be destroyed as soon as the destroyer has had it") {
  for (int i = 0; i < 2000; ++i) {
    auto* const m = new tbb::mutex;
    std::atomic<bool> started{false};
    m->lock();
    std::thread other([&] {
      started.store(true);
      m->lock();
      m->unlock();
      delete m;
    });
    wait_until([&] { return started.load(); });
    m->unlock();
    other.join();
  }
}

TEST_CASE("recursive_mutex: the owner enters again") {
  tbb::recursive_mutex m;
  tbb::recursive_mutex::scoped_lock a(m);
  tbb::recursive_mutex::scoped_lock b(m);
  {
    tbb::recursive_mutex::scoped_lock c;
    REQUIRE(c.try_acquire(m));
  }
  auto const free_for_others = [&m] {
    bool got = false;
    std::thread([&] {
      got = m.try_lock();
      if (got) m.unlock();
    }).join();
    return got;
  };
  b.release();
  CHECK_FALSE(free_for_others());
  a.release();
  CHECK(free_for_others());
}

TEST_CASE("native handles belong to the lock") {
  os_mutex m;
  REQUIRE(pthread_mutex_lock(m.native_handle()) == 0);
  CHECK_FALSE(m.try_lock());
  pthread_mutex_unlock(m.native_handle());
  CHECK(m.try_lock());
  m.unlock();
  tbb::recursive_mutex r;
  REQUIRE(pthread_mutex_lock(r.native_handle()) == 0);
  CHECK(r.try_lock());
  r.unlock();
  pthread_mutex_unlock(r.native_handle());
}
