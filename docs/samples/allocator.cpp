// SPDX-License-Identifier: Apache-2.0
// The scalable allocator: in containers, as functions, with a limit, and asked what it holds.
#include <ashlar/alloc/malloc_stats.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/scalable_allocator.h>
#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  std::vector<int, tbb::scalable_allocator<int>> numbers(1000, 7);
  std::vector<int, tbb::cache_aligned_allocator<int>> aligned(16);  // begins a cache line of its own

  void* block = scalable_malloc(100);
  std::size_t const size = scalable_msize(block);  // at least 100
  scalable_free(block);

  scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 256 << 20);  // gives memory back beyond 256 MB
  scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);   // gives back all that is not in use

  ashlar_malloc_usage usage;
  ashlar_malloc_get_usage(&usage);
  ashlar_malloc_print_stats();  // the table of ASHLAR_MALLOC_STATS=1, on stderr
  return size >= 100 && numbers[999] == 7 && reinterpret_cast<std::uintptr_t>(aligned.data()) % 64 == 0 ? 0 : 1;
}
