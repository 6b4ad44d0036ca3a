// SPDX-License-Identifier: Apache-2.0
// What a program written for oneTBB may write with its locks, allocators, memory pools and the C interface of the
// allocator. It compiles with oneTBB's own headers as well, so it states oneTBB's interface and not ours. Compiled
// only.
#define TBB_PREVIEW_MEMORY_POOL 1
#define TBB_PREVIEW_MUTEXES 1
#include <tbb/tbb.h>

#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <vector>

namespace {

template <typename Mutex>
void exclusive() {
  static_assert(!Mutex::is_recursive_mutex || Mutex::is_recursive_mutex);
  static_assert(std::is_same_v<decltype(Mutex::is_rw_mutex), bool const> &&
                std::is_same_v<decltype(Mutex::is_fair_mutex), bool const>);
  static_assert(!std::is_copy_constructible_v<Mutex> && !std::is_copy_assignable_v<Mutex>);
  Mutex m;
  typename Mutex::scoped_lock lock(m), later;
  lock.release();
  later.acquire(m);
  later.release();
  if (later.try_acquire(m)) later.release();
}
template <typename Mutex>
void standard() {
  Mutex m;
  m.lock();
  m.unlock();
  if (m.try_lock()) m.unlock();
  std::lock_guard<Mutex> guard(m);
}
template <typename Mutex>
void shared() {
  static_assert(Mutex::is_rw_mutex);
  Mutex m;
  typename Mutex::scoped_lock reader(m, false), writer;
  (void)(reader.upgrade_to_writer() + reader.is_writer() + reader.downgrade_to_reader());
  reader.release();
  writer.acquire(m, true);
  writer.release();
  (void)writer.try_acquire(m, false);
}
template <typename Mutex>
void standard_shared() {
  Mutex m;
  m.lock_shared();
  m.unlock_shared();
  if (m.try_lock_shared()) m.unlock_shared();
  std::shared_lock<Mutex> guard(m);
}

void locks() {
  exclusive<tbb::spin_mutex>();
  exclusive<tbb::mutex>();
  exclusive<tbb::queuing_mutex>();
  exclusive<tbb::null_mutex>();
  exclusive<tbb::speculative_spin_mutex>();
  standard<tbb::spin_mutex>();
  standard<tbb::mutex>();
  standard<tbb::null_mutex>();
  standard<tbb::speculative_spin_mutex>();
  shared<tbb::spin_rw_mutex>();
  shared<tbb::rw_mutex>();
  shared<tbb::queuing_rw_mutex>();
  shared<tbb::null_rw_mutex>();
  shared<tbb::speculative_spin_rw_mutex>();
  standard_shared<tbb::spin_rw_mutex>();
  standard_shared<tbb::rw_mutex>();
  standard_shared<tbb::null_rw_mutex>();
  standard_shared<tbb::speculative_spin_rw_mutex>();
  tbb::spin_mutex named;
  tbb::profiling::set_name(named, "named");
}

template <typename Allocator>
void allocates() {
  static_assert(std::is_same_v<typename std::allocator_traits<Allocator>::value_type, int>);
  using other = typename std::allocator_traits<Allocator>::template rebind_alloc<long>;
  Allocator a;
  other b(a);
  int* const p = a.allocate(3);
  a.deallocate(p, 3);
  (void)(a == Allocator(b));
  std::vector<int, Allocator> v(3, 1, a);
}

void memory() {
  allocates<tbb::tbb_allocator<int>>();
  allocates<tbb::cache_aligned_allocator<int>>();
  allocates<tbb::scalable_allocator<int>>();
  (void)(tbb::tbb_allocator<int>::allocator_type() == tbb::tbb_allocator<int>::scalable);
  (void)(tbb::cache_aligned_allocator<int>().max_size());
  std::pmr::memory_resource* const from = tbb::scalable_memory_resource();
  tbb::cache_aligned_resource aligned, over(from);
  (void)(over.upstream_resource() == from);
  tbb::memory_pool<tbb::scalable_allocator<char>> pool;
  char buffer[4096];
  tbb::fixed_pool fixed(buffer, sizeof(buffer));
  void* p = pool.malloc(10);
  p = pool.realloc(p, 20);
  pool.free(p);
  pool.recycle();
  p = fixed.malloc(10);
  fixed.free(p);
  std::vector<int, tbb::memory_pool_allocator<int>> v{tbb::memory_pool_allocator<int>(pool)};
  void* q = scalable_malloc(8);
  q = scalable_realloc(q, 16);
  (void)scalable_msize(q);
  scalable_free(q);
  scalable_free(scalable_calloc(2, 8));
  (void)scalable_posix_memalign(&q, 64, 128);
  scalable_free(q);
  scalable_aligned_free(scalable_aligned_realloc(scalable_aligned_malloc(64, 64), 128, 64));
  static_assert(TBBMALLOC_OK == 0);
  (void)(scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 0) +
         scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 0) +
         scalable_allocation_mode(TBBMALLOC_SET_HUGE_SIZE_THRESHOLD, 1 << 20));
  (void)(scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr) +
         scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr));
  (void)(TBBMALLOC_INVALID_PARAM + TBBMALLOC_UNSUPPORTED + TBBMALLOC_NO_MEMORY + TBBMALLOC_NO_EFFECT);
  rml::MemPoolPolicy const policy(nullptr, nullptr);
  rml::MemoryPool* raw = nullptr;
  if (rml::pool_create_v1(0, &policy, &raw) == rml::POOL_OK) {
    void* r = rml::pool_malloc(raw, 8);
    r = rml::pool_realloc(raw, r, 16);
    (void)(rml::pool_identify(r) == raw && rml::pool_msize(raw, r) > 0 && rml::pool_free(raw, r));
    r = rml::pool_aligned_malloc(raw, 8, 64);
    (void)rml::pool_aligned_realloc(raw, r, 16, 64);
    (void)(rml::pool_reset(raw) && rml::pool_destroy(raw));
  }
}

}  // namespace

void use_locks_and_memory();
void use_locks_and_memory() {
  locks();
  memory();
}
