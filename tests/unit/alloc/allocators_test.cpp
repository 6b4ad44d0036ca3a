// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tbb/scalable_allocator.h>

#include <cstdint>
#include <limits>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

namespace {
struct alignas(256) wide {
  char c[256];
};
}  // namespace

TEST_CASE("scalable_allocator serves containers") {
  std::vector<std::string, tbb::scalable_allocator<std::string>> v;
  for (int i = 0; i < 1000; ++i) {
    v.push_back(std::to_string(i));
  }
  CHECK(v[999] == "999");
  CHECK(scalable_msize(v.data()) >= 1000 * sizeof(std::string));
  std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, tbb::scalable_allocator<std::pair<int const, int>>>
      m;
  m[3] = 4;
  CHECK(m.at(3) == 4);
  static_assert(std::allocator_traits<tbb::scalable_allocator<int>>::is_always_equal::value);
  static_assert(std::is_same_v<tbb::scalable_allocator<void>::rebind<int>::other, tbb::scalable_allocator<int>>);
  CHECK(tbb::scalable_allocator<int>() == tbb::scalable_allocator<char>());
}

TEST_CASE("scalable_allocator aligns wide types and refuses absurd counts") {
  tbb::scalable_allocator<wide> a;
  for (std::size_t n : {1, 3, 1000}) {
    wide* const p = a.allocate(n);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
    a.deallocate(p, n);
  }
  wide* const hinted = a.allocate(2, &a);
  CHECK(scalable_msize(hinted) >= 2 * sizeof(wide));
  a.deallocate(hinted, 2);
  tbb::scalable_allocator<long> l;
  CHECK_THROWS_AS((void)l.allocate(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
  CHECK_THROWS_AS((void)l.allocate(std::numeric_limits<std::size_t>::max() / 8 + 2), std::bad_alloc);
  CHECK(l.max_size() == std::numeric_limits<std::size_t>::max() / sizeof(long));
  long x = 0;
  l.construct(&x, 5);
  CHECK(*l.address(x) == 5);
  l.destroy(&x);
}

TEST_CASE("the memory resource") {
  std::pmr::memory_resource* const r = tbb::scalable_memory_resource();
  CHECK(r == tbb::scalable_memory_resource());
  CHECK(r->is_equal(*tbb::scalable_memory_resource()));
  CHECK_FALSE(r->is_equal(*std::pmr::new_delete_resource()));
  for (std::size_t a = 1; a <= 4096; a *= 2) {
    void* const p = r->allocate(100, a);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % a == 0);
    r->deallocate(p, 100, a);
  }
  CHECK_THROWS_AS((void)r->allocate(std::numeric_limits<std::size_t>::max() / 2, 8), std::bad_alloc);
  r->deallocate(r->allocate(0, 1), 0, 1);
  std::pmr::vector<std::pmr::string> v(r);
  for (int i = 0; i < 100; ++i) {
    v.emplace_back(std::string(100, 'x'));
  }
  CHECK(scalable_msize(v[50].data()) >= 100);
}
