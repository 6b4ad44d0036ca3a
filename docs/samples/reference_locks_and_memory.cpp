// SPDX-License-Identifier: Apache-2.0
// Examples of the reference's pages on locks, allocators, iterators and classic tools (docs/site/examples.py).
#include <tbb/aggregator.h>
#include <tbb/aligned_space.h>
#include <tbb/atomic.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/critical_section.h>
#include <tbb/iterators.h>
#include <tbb/memory_pool.h>
#include <tbb/mutex.h>
#include <tbb/null_mutex.h>
#include <tbb/null_rw_mutex.h>
#include <tbb/parallel_for.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/reader_writer_lock.h>
#include <tbb/recursive_mutex.h>
#include <tbb/rw_mutex.h>
#include <tbb/scalable_allocator.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#include <tbb/tbb_allocator.h>
#include <tbb/tbb_thread.h>
#include <cstdint>
#include <cstdio>
#include <memory_resource>
#include <new>
#include <numeric>
#include <tuple>
#include <vector>

namespace {

// Pages: tbb::spin_mutex, tbb::queuing_mutex, tbb::mutex, tbb::speculative_spin_mutex, tbb::null_mutex
template <class Mutex>
int counted_with() {
  Mutex mutex;
  int count = 0;
  tbb::parallel_for(0, 1000, [&](int) {
    typename Mutex::scoped_lock lock(mutex);  // until the end of the block
    ++count;
  });
  return count;
}

bool locks() {
  return counted_with<tbb::spin_mutex>() == 1000 && counted_with<tbb::queuing_mutex>() == 1000 &&
         counted_with<tbb::mutex>() == 1000 && counted_with<tbb::speculative_spin_mutex>() == 1000;
}

// Pages: tbb::spin_rw_mutex, tbb::queuing_rw_mutex, tbb::rw_mutex, tbb::speculative_spin_rw_mutex, tbb::null_rw_mutex
template <class Mutex>
int added_once_with() {
  Mutex mutex;
  std::vector<int> table;
  tbb::parallel_for(0, 100, [&](int) {
    typename Mutex::scoped_lock lock(mutex, false);  // a reader: with others at once
    if (!table.empty()) return;
    lock.upgrade_to_writer();  // false: another writer was there between
    if (table.empty()) table.push_back(1);
  });
  return int(table.size());
}

bool locks_of_readers_and_writers() {
  return added_once_with<tbb::spin_rw_mutex>() == 1 && added_once_with<tbb::queuing_rw_mutex>() == 1 &&
         added_once_with<tbb::rw_mutex>() == 1 && added_once_with<tbb::speculative_spin_rw_mutex>() == 1;
}

// Pages: tbb::recursive_mutex
bool again_in_the_same_thread() {
  tbb::recursive_mutex mutex;
  tbb::recursive_mutex::scoped_lock outer(mutex);
  tbb::recursive_mutex::scoped_lock inner;
  return inner.try_acquire(mutex);
}

// Pages: tbb::reader_writer_lock, tbb::critical_section, tbb::improper_lock
bool classic_locks() {
  tbb::reader_writer_lock table_lock;
  tbb::critical_section section;
  int count = 0;
  tbb::parallel_for(0, 100, [&](int) {
    tbb::critical_section::scoped_lock alone(section);
    ++count;
  });
  try {
    tbb::reader_writer_lock::scoped_lock writer(table_lock);
    table_lock.lock();  // this thread has it already
  } catch (tbb::improper_lock const&) {
    return count == 100;
  }
  return false;
}

// Pages: tbb::aggregator
bool one_after_the_other() {
  tbb::aggregator serial;
  int count = 0;
  tbb::parallel_for(0, 100, [&](int) {
    serial.execute([&] { ++count; });  // some thread runs it, one at a time
  });
  return count == 100;
}

// Pages: tbb::atomic, tbb::make_atomic
bool counter() {
  tbb::atomic<int> count = tbb::make_atomic(0);
  tbb::parallel_for(0, 1000, [&](int) { ++count; });
  return count == 1000;
}

// Pages: tbb::scalable_allocator, tbb::tbb_allocator, tbb::cache_aligned_allocator, tbb::zero_allocator
bool allocators() {
  std::vector<int, tbb::scalable_allocator<int>> fast(1000, 1);
  std::vector<int, tbb::tbb_allocator<int>> where_it_is_there(1000,
                                                              1);  // the scalable allocator, if its library is there
  std::vector<int, tbb::cache_aligned_allocator<int>> apart(1000, 1);  // shares no cache line
  int* const zeros = tbb::zero_allocator<int>().allocate(10);
  bool const right = std::accumulate(fast.begin(), fast.end(), 0) == 1000 && where_it_is_there.size() == apart.size() &&
                     reinterpret_cast<std::uintptr_t>(apart.data()) % 64 == 0 && zeros[9] == 0;
  tbb::zero_allocator<int>().deallocate(zeros, 10);
  return right;
}

// Pages: tbb::scalable_memory_resource, tbb::cache_aligned_resource
bool resources() {
  tbb::cache_aligned_resource apart(tbb::scalable_memory_resource());
  std::pmr::vector<int> values(1000, 1, tbb::scalable_memory_resource()), aligned(10, 1, &apart);
  return values.size() == 1000 && reinterpret_cast<std::uintptr_t>(aligned.data()) % 64 == 0;
}

// Pages: scalable_malloc, scalable_free, scalable_realloc, scalable_calloc, scalable_msize
bool functions_for_c() {
  void* block = scalable_malloc(100);
  block = scalable_realloc(block, 200);
  bool const right = scalable_msize(block) >= 200;
  scalable_free(block);
  int* const zeros = static_cast<int*>(scalable_calloc(10, sizeof(int)));
  bool const zero = zeros[9] == 0;
  scalable_free(zeros);
  return right && zero;
}

// Pages: scalable_aligned_malloc, scalable_aligned_realloc, scalable_aligned_free, scalable_posix_memalign
bool aligned_functions_for_c() {
  void* block = scalable_aligned_malloc(100, 64);
  block = scalable_aligned_realloc(block, 1000, 64);
  bool const right = reinterpret_cast<std::uintptr_t>(block) % 64 == 0;
  scalable_aligned_free(block);
  void* page = nullptr;
  bool const made = scalable_posix_memalign(&page, 4096, 100) == 0;
  scalable_free(page);
  return right && made;
}

// Pages: scalable_allocation_command, scalable_allocation_mode
bool commands() {
  int const cleaned = scalable_allocation_command(
      TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);  // back to the system; TBBMALLOC_NO_EFFECT: there was nothing
  int const limited = scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 1 << 30);
  return limited == TBBMALLOC_OK && (cleaned == TBBMALLOC_OK || cleaned == TBBMALLOC_NO_EFFECT);
}

// Pages: tbb::memory_pool, tbb::fixed_pool, tbb::memory_pool_allocator
bool pools() {
  tbb::memory_pool<std::allocator<char>> pool;
  void* const block = pool.malloc(100);
  pool.recycle();  // frees all blocks at once
  alignas(64) static char buffer[1 << 20];
  tbb::fixed_pool fixed(buffer, sizeof buffer);
  std::vector<int, tbb::memory_pool_allocator<int>> values(100, 1, tbb::memory_pool_allocator<int>(fixed));
  return block != nullptr && values[99] == 1;
}

// Pages: tbb::aligned_space
bool raw_space() {
  tbb::aligned_space<int, 4> space;
  int* const first = new (space.begin()) int(7);
  return *first == 7 && space.end() - space.begin() == 4;
}

// Pages: tbb::counting_iterator, tbb::zip_iterator, tbb::make_zip_iterator
bool several_sequences() {
  std::vector<int> const left{1, 2, 3};
  std::vector<int> right{4, 5, 6};
  auto const begin = tbb::make_zip_iterator(tbb::counting_iterator<int>(0), left.begin(), right.begin());
  tbb::parallel_for(0, 3, [&](int i) { std::get<2>(begin[i]) += std::get<1>(begin[i]) + std::get<0>(begin[i]); });
  return right == std::vector<int>{5, 8, 11};
}

// Pages: tbb::transform_iterator, tbb::make_transform_iterator
bool mapped() {
  std::vector<int> const values{1, 2, 3};
  auto const twice = [](int value) { return 2 * value; };
  auto const begin = tbb::make_transform_iterator(values.begin(), twice);
  return std::accumulate(begin, begin + 3, 0) == 12;
}

// Pages: tbb::permutation_iterator, tbb::make_permutation_iterator
bool in_another_order() {
  std::vector<int> const values{10, 20, 30}, order{2, 0, 1};
  auto const begin = tbb::make_permutation_iterator(values.begin(), order.begin());
  return begin[0] == 30 && begin[1] == 10;
}

// Pages: tbb::tbb_thread, tbb::this_tbb_thread::get_id, tbb::this_tbb_thread::yield
bool classic_thread() {
  bool done = false;
  tbb::tbb_thread::id const own = tbb::this_tbb_thread::get_id();
  tbb::tbb_thread thread([&] {
    tbb::this_tbb_thread::yield();
    done = tbb::this_tbb_thread::get_id() != own;
  });
  thread.join();
  return done;
}

}  // namespace

int main() {
  bool const right = locks() && locks_of_readers_and_writers() && again_in_the_same_thread() && classic_locks() &&
                     one_after_the_other() && counter() && allocators() && resources() && functions_for_c() &&
                     aligned_functions_for_c() && commands() && pools() && raw_space() && several_sequences() &&
                     mapped() && in_another_order() && classic_thread();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
