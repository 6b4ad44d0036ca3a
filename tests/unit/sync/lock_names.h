// SPDX-License-Identifier: Apache-2.0
// The names and types of sections K to M of the API: locks, atomics, threads, condition variables. Included by one file
// of each dialect; most of it only has to compile.
#pragma once

#define TBB_IMPLEMENT_CPP0X 1
#include <tbb/atomic.h>
#include <tbb/critical_section.h>
#include <tbb/mutex.h>
#include <tbb/null_mutex.h>
#include <tbb/null_rw_mutex.h>
#include <tbb/profiling.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/reader_writer_lock.h>
#include <tbb/recursive_mutex.h>
#include <tbb/rw_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#include <tbb/tbb_thread.h>
#include <tbb/compat/condition_variable>
#include <tbb/compat/thread>

#include <doctest/doctest.h>

#include <shared_mutex>
#include <type_traits>
#include <utility>

namespace {

template <bool Rw, bool Recursive, bool Fair>
struct traits {};

template <typename M>
constexpr traits<M::is_rw_mutex, M::is_recursive_mutex, M::is_fair_mutex> traits_of() {
  return {};
}
template <typename Type, typename Expression>
constexpr void is(Expression&&) {
  static_assert(std::is_same_v<Type, Expression>);
}
// For expressions of type void.
template <typename Expression>
constexpr bool gives_void = std::is_void_v<Expression>;

template <typename M>
void name_scoped_lock(M& m) {
  using lock = typename M::scoped_lock;
  lock held;
  static_assert(gives_void<decltype(held.acquire(m))> && gives_void<decltype(held.release())>);
  held.acquire(m);
  held.release();
  is<bool>(held.try_acquire(m));
  held.release();
  lock const by_constructor(m);
}
template <typename M>
void name_rw_scoped_lock(M& m) {
  name_scoped_lock(m);
  using lock = typename M::scoped_lock;
  lock held(m, false);
  is<bool>(held.upgrade_to_writer());
  is<bool>(held.is_writer());
  is<bool>(held.downgrade_to_reader());
  held.release();
  held.acquire(m, true);
  held.release();
  is<bool>(held.try_acquire(m, false));
}
template <typename M>
void name_lockable(M& m) {
  static_assert(gives_void<decltype(m.lock())> && gives_void<decltype(m.unlock())>);
  m.lock();
  m.unlock();
  is<bool>(m.try_lock());
  m.unlock();
  std::lock_guard<M> const guard(m);
}
template <typename M>
void name_shared_lockable(M& m) {
  name_lockable(m);
  static_assert(gives_void<decltype(m.lock_shared())> && gives_void<decltype(m.unlock_shared())>);
  m.lock_shared();
  m.unlock_shared();
  is<bool>(m.try_lock_shared());
  m.unlock_shared();
  std::shared_lock<M> const guard(m);
}

template <typename M, bool Rw, bool Recursive, bool Fair>
void name_traits() {
  static_assert(std::is_same_v<decltype(traits_of<M>()), traits<Rw, Recursive, Fair>>);
  static_assert(!std::is_copy_constructible_v<M> && !std::is_copy_assignable_v<M>);
  M named;
  tbb::profiling::set_name(named, "a lock");
}

template <typename T>
void name_atomic() {
  using atomic = tbb::atomic<T>;
  static_assert(std::is_same_v<typename atomic::value_type, T>);
  atomic a;
  a = T();
  is<T>(a.compare_and_swap(T(), T()));
  is<T>(a.fetch_and_store(T()));
  is<T>(a.template compare_and_swap<tbb::acquire>(T(), T()));
  is<T>(a.template fetch_and_store<tbb::release>(T()));
  T const plain = a;
  atomic b = a;
  b = a;
  a = plain;
  a.store(plain);
  is<T>(a.load());
  tbb::store<tbb::release>(a, plain);
  is<T>(tbb::load<tbb::acquire>(a));
  is<atomic>(tbb::make_atomic(plain));
}
template <typename T, typename D>
void name_atomic_number() {
  name_atomic<T>();
  tbb::atomic<T> a;
  a = T();
  D const d = 1;
  is<T>(a.fetch_and_add(d));
  is<T>(a.fetch_and_increment());
  is<T>(a.fetch_and_decrement());
  is<T>(a.template fetch_and_add<tbb::full_fence>(d));
  is<T>(a.template fetch_and_increment<tbb::relaxed>());
  is<T>(a.template fetch_and_decrement<tbb::relaxed>());
  is<T>(a += d);
  is<T>(a -= d);
  is<T>(++a);
  is<T>(a++);
  is<T>(--a);
  is<T>(a--);
}

void name_condition_variable() {
  namespace cv5 = tbb::interface5;
  using interval = tbb::tick_count::interval_t;
  tbb::mutex m;
  cv5::unique_lock<tbb::mutex> lock(m);
  cv5::unique_lock<tbb::mutex> const deferred(m, cv5::defer_lock);
  cv5::condition_variable c;
  c.notify_one();
  c.notify_all();
  c.wait(lock, [] { return true; });
  is<cv5::cv_status>(c.wait_for(lock, interval(1e-6)));
  is<bool>(c.wait_for(lock, interval(1e-6), [] { return true; }));
  static_assert(gives_void<decltype(c.wait(lock))>);
  CHECK(cv5::timeout != cv5::no_timeout);
  // With TBB_IMPLEMENT_CPP0X these were classic TBB's; now they are the standard's.
  std::mutex standard;
  std::unique_lock<std::mutex> other(standard, std::defer_lock);
  std::condition_variable standard_condition;
  standard_condition.notify_all();
  std::thread([] { std::this_thread::yield(); }).join();
}

void name_thread() {
  tbb::tbb_thread none;
  is<bool>(none.joinable());
  is<tbb::tbb_thread::id>(none.get_id());
  is<tbb::tbb_thread::native_handle_type>(none.native_handle());
  is<unsigned>(tbb::tbb_thread::hardware_concurrency());
  is<tbb::tbb_thread::id>(tbb::this_tbb_thread::get_id());
  tbb::this_tbb_thread::yield();
  tbb::this_tbb_thread::sleep(tbb::tick_count::interval_t(1e-6));
  tbb::tbb_thread one([] {});
  none.swap(one);
  tbb::move(one, none);
  one.join();
}

void name_all_locks() {
  name_traits<tbb::spin_mutex, false, false, false>();
  name_traits<tbb::spin_rw_mutex, true, false, false>();
  name_traits<tbb::mutex, false, false, false>();
  name_traits<tbb::rw_mutex, true, false, false>();
  name_traits<tbb::recursive_mutex, false, true, false>();
  name_traits<tbb::queuing_mutex, false, false, true>();
  name_traits<tbb::queuing_rw_mutex, true, false, true>();
  name_traits<tbb::null_mutex, false, true, true>();
  name_traits<tbb::null_rw_mutex, true, true, true>();
  name_traits<tbb::speculative_spin_mutex, false, false, false>();
  name_traits<tbb::speculative_spin_rw_mutex, true, false, false>();
  name_traits<tbb::critical_section, false, false, true>();

  oneapi::tbb::spin_mutex spin;
  oneapi::tbb::mutex plain;
  oneapi::tbb::rw_mutex rw;
  oneapi::tbb::spin_rw_mutex spin_rw;
  oneapi::tbb::queuing_mutex queuing;
  oneapi::tbb::queuing_rw_mutex queuing_rw;
  oneapi::tbb::null_mutex null;
  oneapi::tbb::null_rw_mutex null_rw;
  oneapi::tbb::speculative_spin_mutex speculative;
  oneapi::tbb::speculative_spin_rw_mutex speculative_rw;
  tbb::recursive_mutex recursive;
  tbb::critical_section section;
  name_scoped_lock(spin);
  name_scoped_lock(plain);
  name_scoped_lock(recursive);
  name_scoped_lock(queuing);
  name_scoped_lock(null);
  name_scoped_lock(speculative);
  name_rw_scoped_lock(rw);
  name_rw_scoped_lock(spin_rw);
  name_rw_scoped_lock(queuing_rw);
  name_rw_scoped_lock(null_rw);
  name_rw_scoped_lock(speculative_rw);
  name_lockable(spin);
  name_lockable(plain);
  name_lockable(recursive);
  name_lockable(null);
  name_lockable(section);
  name_shared_lockable(rw);
  name_shared_lockable(spin_rw);
  name_shared_lockable(null_rw);
  // Classic TBB's names of the shared forms; unlock() ends either.
  static_assert(gives_void<decltype(spin_rw.lock_read())>);
  spin_rw.lock_read();
  spin_rw.unlock();
  is<bool>(spin_rw.try_lock_read());
  spin_rw.unlock();
  is<tbb::recursive_mutex::native_handle_type>(recursive.native_handle());
  tbb::critical_section::scoped_lock const in_section(section);

  tbb::interface5::reader_writer_lock owned;
  tbb::profiling::set_name(owned, "a lock");
  static_assert(gives_void<decltype(owned.lock())> && gives_void<decltype(owned.lock_read())>);
  is<bool>(owned.try_lock());
  owned.unlock();
  is<bool>(owned.try_lock_read());
  owned.unlock();
  {
    tbb::reader_writer_lock::scoped_lock_read const reads(owned);
  }
  tbb::reader_writer_lock::scoped_lock const writes(owned);
}

struct any_object {};
enum an_enumeration { one_of_it };

void name_all_atomics() {
  name_atomic_number<int, int>();
  name_atomic_number<unsigned char, unsigned char>();
  name_atomic_number<long long, long long>();
  name_atomic_number<any_object*, std::ptrdiff_t>();
  name_atomic<void*>();
  name_atomic<bool>();
  name_atomic<double>();
  name_atomic<an_enumeration>();
}

}  // namespace
