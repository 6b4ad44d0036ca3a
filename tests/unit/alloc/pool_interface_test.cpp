// SPDX-License-Identifier: Apache-2.0
// The pool functions and classes one by one; pool_test.cpp has pools at work.
#include <doctest/doctest.h>

#include <tbb/memory_pool.h>
#include <tbb/scalable_allocator.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t huge = ~std::size_t{0};

// Raw memory of a policy: what was asked for, and whether regions come back as they were given.
struct raw_memory {
  std::size_t granularity = 0;
  std::size_t extra = 0;  // more than was asked for
  std::size_t requests = 0;
  std::size_t outstanding = 0;
  bool all_multiples = true;
  bool same_size_back = true;
  std::vector<std::pair<void*, std::size_t>> regions;
} raw;

void* take(std::intptr_t, std::size_t& bytes) {
  ++raw.requests;
  raw.all_multiples = raw.all_multiples && (!raw.granularity || bytes % raw.granularity == 0);
  bytes += raw.extra;
  void* const p = scalable_malloc(bytes);
  raw.outstanding += bytes;
  raw.regions.emplace_back(p, bytes);
  return p;
}
int give(std::intptr_t, void* p, std::size_t bytes) {
  bool known = false;
  for (auto& r : raw.regions) {
    if (r.first == p && r.second == bytes) {
      known = true;
      r.first = nullptr;
    }
  }
  raw.same_size_back = raw.same_size_back && known;
  raw.outstanding -= bytes;
  scalable_free(p);
  return 0;
}

rml::MemoryPool* make(std::size_t granularity = 0, std::size_t extra = 0) {
  raw = raw_memory{};
  raw.granularity = granularity;
  raw.extra = extra;
  rml::MemPoolPolicy const policy(take, give, granularity);
  rml::MemoryPool* const pool = rml::pool_create(7, &policy);
  REQUIRE(pool != nullptr);
  return pool;
}

bool aligned(void const* p, std::size_t a) { return reinterpret_cast<std::uintptr_t>(p) % a == 0; }

}  // namespace

TEST_CASE("pools are told apart, and what is in none") {
  rml::MemoryPool* const a = make();
  rml::MemPoolPolicy const policy(take, give);
  rml::MemoryPool* b = nullptr;
  REQUIRE(rml::pool_create_v1(8, &policy, &b) == rml::POOL_OK);
  void* const in_a = rml::pool_malloc(a, 10);
  void* const in_b = rml::pool_malloc(b, 200000);
  CHECK(rml::pool_identify(in_a) == a);
  CHECK(rml::pool_identify(in_b) == b);
  CHECK(rml::pool_identify(static_cast<char*>(in_b) + 100000) == b);
  void* const outside = scalable_malloc(10);
  CHECK(rml::pool_identify(outside) == nullptr);
  CHECK(rml::pool_identify(nullptr) == nullptr);
  scalable_free(outside);
  CHECK(rml::pool_destroy(b));
  CHECK(rml::pool_identify(in_a) == a);
  CHECK(rml::pool_destroy(a));
  CHECK(raw.outstanding == 0);
  CHECK(raw.same_size_back);
}

TEST_CASE("raw memory is asked for in the policy's granularity, and may be more than was asked for") {
  for (std::size_t const granularity : {std::size_t{4096}, std::size_t{3000}, std::size_t{1} << 20}) {
    CAPTURE(granularity);
    rml::MemoryPool* const pool = make(granularity, 5000);
    std::vector<char*> objects;
    for (std::size_t size = 1; size < 400000; size = size * 5 / 3 + 1) {
      objects.push_back(static_cast<char*>(rml::pool_malloc(pool, size)));
      REQUIRE(objects.back() != nullptr);
      std::memset(objects.back(), 1, rml::pool_msize(pool, objects.back()));
    }
    CHECK(raw.all_multiples);
    for (char* p : objects) {
      CHECK(rml::pool_free(pool, p));
    }
    CHECK(rml::pool_destroy(pool));
    CHECK(raw.outstanding == 0);
    CHECK(raw.same_size_back);
  }
}

TEST_CASE("alignments of every power of two up to 2 MB in a pool") {
  rml::MemoryPool* const pool = make();
  for (std::size_t a = 1; a <= (std::size_t{2} << 20); a *= 2) {
    CAPTURE(a);
    for (std::size_t const size : {1ul, 100ul, 70000ul}) {
      char* p = static_cast<char*>(rml::pool_aligned_malloc(pool, size, a));
      REQUIRE(p != nullptr);
      CHECK(aligned(p, a));
      std::memset(p, 5, size);
      p = static_cast<char*>(rml::pool_aligned_realloc(pool, p, size * 3, a));
      REQUIRE(p != nullptr);
      CHECK(aligned(p, a));
      CHECK(p[size - 1] == 5);
      CHECK(rml::pool_msize(pool, p) >= size * 3);
      CHECK(rml::pool_free(pool, p));
    }
  }
  CHECK(rml::pool_destroy(pool));
}

TEST_CASE("realloc in a pool follows C") {
  rml::MemoryPool* const pool = make();
  char* p = static_cast<char*>(rml::pool_realloc(pool, nullptr, 100));
  REQUIRE(p != nullptr);
  std::memset(p, 1, 100);
  errno = 0;
  CHECK(rml::pool_realloc(pool, p, huge - 100) == nullptr);
  CHECK(errno == ENOMEM);
  CHECK(p[99] == 1);
  CHECK(rml::pool_realloc(pool, p, 0) == nullptr);
  p = static_cast<char*>(rml::pool_aligned_realloc(pool, nullptr, 100, 128));
  CHECK(aligned(p, 128));
  CHECK(rml::pool_aligned_realloc(pool, p, 0, 128) == nullptr);
  CHECK(rml::pool_malloc(pool, 0) != nullptr);
  CHECK(rml::pool_destroy(pool));
}

TEST_CASE("wrong arguments of the pool functions get EINVAL") {
  rml::MemoryPool* const pool = make();
  void* const p = rml::pool_malloc(pool, 10);
  auto const invalid = [](auto f) {
    errno = 0;
    return !f() && errno == EINVAL;
  };
  CHECK(invalid([&] { return rml::pool_malloc(nullptr, 10); }));
  CHECK(invalid([&] { return rml::pool_realloc(nullptr, p, 10); }));
  CHECK(invalid([&] { return rml::pool_aligned_malloc(nullptr, 10, 16); }));
  CHECK(invalid([&] { return rml::pool_aligned_realloc(nullptr, p, 10, 16); }));
  CHECK(invalid([&] { return rml::pool_msize(nullptr, p); }));
  CHECK(invalid([&] { return rml::pool_msize(pool, nullptr); }));
  for (std::size_t const a : {std::size_t{0}, std::size_t{3}, std::size_t{48}, std::size_t{1} << 62}) {
    CAPTURE(a);
    CHECK(invalid([&] { return rml::pool_aligned_malloc(pool, 10, a); }));
    CHECK(invalid([&] { return rml::pool_aligned_realloc(pool, p, 10, a); }));
  }
  CHECK(invalid([&] { return rml::pool_aligned_malloc(pool, 0, 16); }));
  CHECK_FALSE(rml::pool_free(pool, nullptr));
  CHECK(rml::pool_destroy(pool));
}

TEST_CASE("threads allocate in a pool while others free there") {
  rml::MemoryPool* const pool = make();
  constexpr std::size_t slots = 128;
  static std::atomic<unsigned char*> exchange[slots];
  std::atomic<int> wrong{0};
  std::vector<std::thread> team;
  for (unsigned t = 0; t < 4; ++t) {
    team.emplace_back([&, t] {
      unsigned x = t + 1;
      for (int i = 0; i < 10000; ++i) {
        x = x * 1664525 + 1013904223;
        std::size_t const size = (x >> 8) % (i % 50 ? 300 : 60000) + 2;
        auto* const p = static_cast<unsigned char*>(rml::pool_malloc(pool, size));
        std::memset(p, static_cast<int>(size & 255), size);
        p[0] = static_cast<unsigned char>(~size & 255);
        if (unsigned char* const old = exchange[x % slots].exchange(p)) {
          wrong += static_cast<unsigned char>(~old[0]) != old[1];
          rml::pool_free(pool, old);
        }
      }
    });
  }
  for (std::thread& t : team) {
    t.join();
  }
  for (auto& slot : exchange) {
    if (unsigned char* const p = slot.exchange(nullptr)) {
      CHECK(rml::pool_free(pool, p));
    }
  }
  CHECK(wrong == 0);
  CHECK(rml::pool_destroy(pool));
  CHECK(raw.outstanding == 0);
}

namespace {

// An allocator of a growing pool that runs dry, by an exception as allocators do.
std::size_t bytes_left = 0;
template <typename T>
struct dry {
  using value_type = T;
  dry() = default;
  template <typename U>
  dry(dry<U> const&) {}  // NOLINT: implicit, as allocators are
  T* allocate(std::size_t n) {
    if (n * sizeof(T) > bytes_left) {
      throw std::bad_alloc();
    }
    bytes_left -= n * sizeof(T);
    return static_cast<T*>(scalable_malloc(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t n) {
    bytes_left += n * sizeof(T);
    scalable_free(p);
  }
};

}  // namespace

TEST_CASE("a pool whose allocator throws has no memory, until it has some again") {
  bytes_left = std::size_t{1} << 20;
  {
    tbb::memory_pool<dry<char>> pool;
    tbb::memory_pool_allocator<int> const a(pool);
    std::vector<int*> objects;
    bool thrown = false;
    while (!thrown && objects.size() < 10000) {
      try {
        objects.push_back(tbb::memory_pool_allocator<int>(a).allocate(1000));
      } catch (std::bad_alloc const&) {
        thrown = true;
      }
    }
    CHECK(thrown);
    CHECK(objects.size() > 200);
    CHECK(pool.malloc(100000) == nullptr);
    pool.recycle();
    CHECK(pool.malloc(4000) != nullptr);
    CHECK_THROWS_AS((void)tbb::memory_pool_allocator<long>(a).allocate(huge / 4), std::bad_alloc);
  }
  CHECK(bytes_left == std::size_t{1} << 20);
}

TEST_CASE("pool allocators are equal when their pools are") {
  tbb::memory_pool<std::allocator<char>> one;
  tbb::memory_pool<std::allocator<char>> two;
  tbb::memory_pool_allocator<int> const a(one);
  tbb::memory_pool_allocator<long> const b(two);
  tbb::memory_pool_allocator<void> const nothing(one);
  CHECK(a == tbb::memory_pool_allocator<int>(nothing));
  CHECK(a != b);
  CHECK(std::allocator_traits<tbb::memory_pool_allocator<int>>::rebind_alloc<long>(a) != b);
  // A pool of its own type, with no common base in between.
  using pool = tbb::memory_pool<std::allocator<char>>;
  std::vector<int, tbb::memory_pool_allocator<int, pool>> v{tbb::memory_pool_allocator<int, pool>(one)};
  v.assign(1000, 5);
  CHECK(v[999] == 5);
  CHECK(rml::pool_identify(v.data()) != nullptr);
}
