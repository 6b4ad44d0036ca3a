// SPDX-License-Identifier: Apache-2.0
// The scalable allocator, its pools, and the allocators for containers.
#include "cases.h"

#include <tbb/cache_aligned_allocator.h>
#include <tbb/memory_pool.h>
#include <tbb/scalable_allocator.h>
#include <tbb/tbb_allocator.h>

namespace growth {

namespace {

// Memory that nobody writes to is not resident.
void* touched(void* p, std::size_t size) {
  if (p == nullptr) std::abort();
  for (std::size_t at = 0; at < size; at += 4096) static_cast<char volatile*>(p)[at] = 1;
  return p;
}
item as_item(void* p) { return reinterpret_cast<item>(p); }
void* as_pointer(item x) { return reinterpret_cast<void*>(x); }

// Objects whose sizes are what `size` says of their number.
template <typename Size>
auto sized(long live, Size size) {
  return [=](run& r) {
    exchange(
        r, live, [&](long i) { return as_item(touched(scalable_malloc(size(i)), size(i))); },
        [](item x) { scalable_free(as_pointer(x)); });
  };
}
auto between(std::size_t low, std::size_t high) {
  return [=](long i) { return mixed(i, low, high); };
}

void aligned(run& r) {
  exchange(
      r, 512,
      [](long i) {
        std::size_t const size = mixed(i, 1, 2000);
        return as_item(touched(scalable_aligned_malloc(size, std::size_t{16} << i % 9), size));
      },
      [](item x) { scalable_aligned_free(as_pointer(x)); });
}

void reallocated(run& r) {
  exchange(
      r, 1024, [](long i) { return as_item(touched(scalable_malloc(mixed(i, 16, 512)), 1)); },
      [](item x) {
        std::size_t const more = scalable_msize(as_pointer(x)) * 3;
        scalable_free(touched(scalable_realloc(as_pointer(x), more), more));
      });
}

template <typename Pool>
void pool_objects(run& r, Pool& pool) {
  exchange(
      r, 2048,
      [&](long i) {
        std::size_t const size = mixed(i, 16, 1024);
        return as_item(touched(pool.malloc(size), size));
      },
      [&](item x) { pool.free(as_pointer(x)); });
}
void pool(run& r) {
  tbb::memory_pool<tbb::scalable_allocator<char>> p;
  pool_objects(r, p);
}
void pool_of_std(run& r) {
  tbb::memory_pool<std::allocator<char>> p;
  pool_objects(r, p);
}
void fixed_pool(run& r) {
  std::vector<char> buffer(64U << 20);
  tbb::fixed_pool p(buffer.data(), buffer.size());
  pool_objects(r, p);
}
void pool_recycled(run& r) {
  tbb::memory_pool<tbb::scalable_allocator<char>> p;
  phases(r, 2000, [&](long i) { touched(p.malloc(mixed(i, 16, 1024)), 1); }, [&](long, long) { p.recycle(); });
}
void pools(run& r) {
  using pool_type = tbb::memory_pool<tbb::scalable_allocator<char>>;
  exchange_objects(
      r, 16,
      [](long i) {
        auto* const p = new pool_type;
        for (long k = 0; k < 10; ++k) touched(p->malloc(mixed(i + k, 16, 1024)), 1);
        return p;
      },
      [](pool_type& p) { touched(p.malloc(100), 1); });
}

template <typename Allocator>
void allocator(run& r) {
  Allocator a;
  exchange(
      r, 2048,
      [&](long i) {
        std::size_t const n = mixed(i, 1, 64);
        auto* const p = a.allocate(n);
        p[0] = static_cast<long>(n);
        return as_item(p);
      },
      [&](item x) {
        auto* const p = static_cast<long*>(as_pointer(x));
        a.deallocate(p, static_cast<std::size_t>(p[0]));
      });
}

void resources(run& r) {
  tbb::cache_aligned_resource aligned(tbb::scalable_memory_resource());
  exchange(
      r, 2048,
      [&](long i) {
        std::size_t const size = mixed(i, 16, 1024);
        auto* const p = static_cast<std::size_t*>(touched(aligned.allocate(size), size));
        *p = size;
        return as_item(p);
      },
      [&](item x) {
        auto* const p = static_cast<std::size_t*>(as_pointer(x));
        aligned.deallocate(p, *p);
      });
}

// A thread frees what an ended one has left, and leaves as much itself.
void in_short_threads(run& r) {
  std::mutex lock;
  std::vector<std::vector<void*>> left;
  short_threads(r, [&](long i) {
    std::vector<void*> mine;
    for (long k = 0; k < 200; ++k) mine.push_back(touched(scalable_malloc(mixed(i * 200 + k, 16, 1024)), 1));
    {
      std::lock_guard const guard(lock);
      left.push_back(std::move(mine));
      if (left.size() <= many) return;
      mine = std::move(left.front());
      left.erase(left.begin());
    }
    for (void* p : mine) scalable_free(p);
  });
}

void with_clean_up(run& r) {
  exchange(
      r, 2048, [&](long i) { return as_item(touched(scalable_malloc(mixed(i, 16, 1024)), 1)); },
      [&, n = std::make_shared<std::atomic<long>>(0)](item x) {
        scalable_free(as_pointer(x));
        long const now = ++*n;
        if (now % 5000 == 0) scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr);
        if (now % 50'000 == 0) scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
      });
}

}  // namespace

void add_allocator(table& t) {
  auto const in_turn = [](long i) { return static_cast<std::size_t>(i % 64 + 1) * 16; };
  t.push_back({"malloc_uniform", 2'000'000, sized(4096, [](long) { return std::size_t{64}; })});
  t.push_back({"malloc_mixed", 1'000'000, sized(4096, between(16, 1025))});
  t.push_back({"malloc_mixed_many", 1'000'000, sized(32'768, between(16, 1025))});
  t.push_back({"malloc_classes", 1'000'000, sized(4096, in_turn)});
  t.push_back({"malloc_pages", 100'000, sized(64, between(1024, 65'537))});
  t.push_back({"malloc_large", 1000, sized(24, between(1U << 20, (8U << 20) + 1))});
  t.push_back({"malloc_aligned", 300'000, aligned});
  t.push_back({"realloc", 300'000, reallocated});
  t.push_back({"malloc_clean_up", 500'000, with_clean_up});
  t.push_back({"malloc_short_threads", 2000, in_short_threads});
  t.push_back({"memory_pool", 6'000'000, pool});
  t.push_back({"memory_pool_of_std", 300'000, pool_of_std});
  t.push_back({"fixed_pool", 500'000, fixed_pool});
  t.push_back({"memory_pool_recycled", 300'000, pool_recycled});
  t.push_back({"memory_pools", 3000, pools});
  t.push_back({"scalable_allocator", 300'000, allocator<tbb::scalable_allocator<long>>});
  t.push_back({"cache_aligned_allocator", 300'000, allocator<tbb::cache_aligned_allocator<long>>});
  t.push_back({"tbb_allocator", 300'000, allocator<tbb::tbb_allocator<long>>});
  t.push_back({"memory_resources", 500'000, resources});
}

}  // namespace growth
