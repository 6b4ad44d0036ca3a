// SPDX-License-Identifier: Apache-2.0
// The allocators that come with libtbb and find the scalable one at run time.
#include <support/eventually.h>
#include <support/thread_team.h>

#include <doctest/doctest.h>

#include <ashlar/alloc/malloc_stats.h>
#include <ashlar/base/cache_line.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/scalable_allocator.h>
#include <tbb/task_arena.h>
#include <tbb/tbb_allocator.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <list>
#include <set>
#include <vector>

TEST_CASE("tbb_allocator uses the scalable allocator of this program") {
  using allocator = tbb::tbb_allocator<int>;
  CHECK(allocator::allocator_type() == allocator::scalable);
  std::vector<int, allocator> v(1000, 7);
  CHECK(scalable_msize(v.data()) >= 4000);
  allocator a;
  CHECK_THROWS_AS((void)a.allocate(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
  CHECK(a == tbb::tbb_allocator<char>());
  int* const nothing = a.allocate(0);
  CHECK(nothing != nullptr);
  a.deallocate(nothing, 0);
}

TEST_CASE("cache_aligned_allocator gives whole lines") {
  tbb::cache_aligned_allocator<char> a;
  std::vector<char*> all;
  for (std::size_t n : {0, 1, 63, 64, 65, 127, 128, 129, 5000, 200000}) {
    char* const p = a.allocate(n);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % ashlar::no_sharing == 0);
    std::memset(p, 1, n);
    all.push_back(p);
  }
  for (char* p : all) {
    for (char* q : all) {
      CHECK((p == q || p >= q + ashlar::no_sharing || q >= p + ashlar::no_sharing));
    }
  }
  for (char* p : all) {
    a.deallocate(p, 0);
  }
  CHECK_THROWS_AS((void)a.allocate(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
  CHECK_THROWS_AS((void)a.allocate(a.max_size()), std::bad_alloc);
  std::list<int, tbb::cache_aligned_allocator<int>> l{1, 2, 3};
  CHECK(l.back() == 3);
}

TEST_CASE("cache_aligned_resource aligns what any resource gives") {
  char buffer[20000];
  std::pmr::monotonic_buffer_resource upstream(buffer + 1, sizeof buffer - 1, std::pmr::null_memory_resource());
  tbb::cache_aligned_resource r(&upstream);
  CHECK(r.upstream_resource() == &upstream);
  for (std::size_t a = 1; a <= 1024; a *= 4) {
    for (std::size_t n : {0, 1, 64, 200}) {
      char* const p = static_cast<char*>(r.allocate(n, a));
      CHECK(reinterpret_cast<std::uintptr_t>(p) % (a > ashlar::no_sharing ? a : ashlar::no_sharing) == 0);
      std::memset(p, 1, n);
      r.deallocate(p, n, a);
    }
  }
  CHECK_THROWS_AS((void)r.allocate(30000, 8), std::bad_alloc);
  CHECK_THROWS_AS((void)r.allocate(std::numeric_limits<std::size_t>::max() - 10, 8), std::bad_alloc);
  CHECK(r.is_equal(tbb::cache_aligned_resource(&upstream)));
  CHECK_FALSE(r.is_equal(tbb::cache_aligned_resource()));
  CHECK_FALSE(r.is_equal(upstream));
}

TEST_CASE("allocate takes a hint, which changes nothing") {
  auto const try_it = [](auto allocator) {
    double* const p = allocator.allocate(10);
    double* const q = allocator.allocate(10, p);
    CHECK(p != q);
    CHECK(scalable_msize(q) >= 10 * sizeof(double));
    allocator.deallocate(q, 10);
    allocator.deallocate(p, 10);
  };
  try_it(tbb::tbb_allocator<double>());
  try_it(tbb::scalable_allocator<double>());
  try_it(tbb::zero_allocator<double>());
  tbb::cache_aligned_allocator<double> c;
  double* const p = c.allocate(10, &c);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % ashlar::no_sharing == 0);
  c.deallocate(p, 10);
}

// The worker's list is too short to be sent on its own.
TEST_CASE("a worker hands back what it freed of another thread's objects before it sleeps") {
  test::thread_team const two(2);
  std::vector<void*> objects;
  std::vector<void*> staying;  // so that no page of these objects becomes wholly free and serves another size
  for (int i = 0; i < 100; ++i) {
    (i % 5 ? objects : staying).push_back(scalable_malloc(64));
  }
  std::atomic<bool> freed{false};
  tbb::task_arena arena(1, 0);
  arena.enqueue([&] {
    for (void* p : objects) {
      scalable_free(p);
    }
    freed = true;
  });
  std::set<void*> const home(objects.begin(), objects.end());
  CHECK(test::eventually([&] { return freed.load(); }));
  CHECK(test::eventually([&] {
    ashlar_malloc_settle();
    std::vector<void*> fresh;
    std::size_t again = 0;
    for (int k = 0; k < 3000; ++k) {
      fresh.push_back(scalable_malloc(64));
      again += home.count(fresh.back());
    }
    for (void* p : fresh) {
      scalable_free(p);
    }
    return again == home.size();
  }));
  for (void* p : staying) {
    scalable_free(p);
  }
}

TEST_CASE("zero_allocator gives zeroes on every base") {
  tbb::zero_allocator<int> a;
  for (int round = 0; round < 3; ++round) {
    int* const p = a.allocate(500);
    for (int i = 0; i < 500; ++i) {
      REQUIRE(p[i] == 0);
      p[i] = -1;
    }
    a.deallocate(p, 500);
  }
  std::vector<int, tbb::zero_allocator<int, tbb::cache_aligned_allocator>> v(10);
  CHECK(v[9] == 0);
  using rebound = tbb::zero_allocator<int>::rebind<char>::other;
  CHECK(rebound(a) == a);
  CHECK_FALSE(rebound(a) != a);
}
