// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tbb/memory_pool.h>
#include <tbb/scalable_allocator.h>

#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <thread>
#include <vector>

namespace {

// Raw memory that is counted, with an odd start address.
struct counting {
  std::size_t taken = 0;
  std::size_t given = 0;
  std::size_t calls = 0;
  std::size_t limit = ~std::size_t{0};
  bool fail_free = false;
} raw;

void* take(std::intptr_t id, std::size_t& bytes) {
  CHECK(id == 42);
  if (raw.taken - raw.given + bytes > raw.limit) {
    return nullptr;
  }
  ++raw.calls;
  raw.taken += bytes;
  return static_cast<char*>(scalable_malloc(bytes + 16)) + 5;
}
int give(std::intptr_t id, void* p, std::size_t bytes) {
  CHECK(id == 42);
  raw.given += bytes;
  scalable_free(static_cast<char*>(p) - 5);
  return raw.fail_free;
}

rml::MemoryPool* make(rml::MemPoolPolicy const& policy) {
  raw = counting{};
  rml::MemoryPool* pool = nullptr;
  REQUIRE(rml::pool_create_v1(42, &policy, &pool) == rml::POOL_OK);
  return pool;
}

}  // namespace

TEST_CASE("policies are checked") {
  rml::MemoryPool* pool = nullptr;
  rml::MemPoolPolicy policy(nullptr, give);
  CHECK(rml::pool_create_v1(42, &policy, &pool) == rml::INVALID_POLICY);
  policy = rml::MemPoolPolicy(take, nullptr);
  CHECK(rml::pool_create_v1(42, &policy, &pool) == rml::INVALID_POLICY);
  policy = rml::MemPoolPolicy(take, give);
  policy.version = 0;
  CHECK(rml::pool_create_v1(42, &policy, &pool) == rml::INVALID_POLICY);
  policy.version = 2;
  CHECK(rml::pool_create_v1(42, &policy, &pool) == rml::UNSUPPORTED_POLICY);
  policy.version = 1;
  policy.reserved = 1;
  CHECK(rml::pool_create_v1(42, &policy, &pool) == rml::UNSUPPORTED_POLICY);
  CHECK(pool == nullptr);
  raw = counting{};
  raw.limit = 0;
  policy = rml::MemPoolPolicy(take, give, 1 << 16, true);
  CHECK(rml::pool_create_v1(42, &policy, &pool) == rml::NO_MEMORY);
  CHECK(rml::pool_create(42, &policy) == nullptr);
}

TEST_CASE("null arguments") {
  CHECK_FALSE(rml::pool_destroy(nullptr));
  CHECK_FALSE(rml::pool_reset(nullptr));
  CHECK(rml::pool_malloc(nullptr, 5) == nullptr);
  CHECK_FALSE(rml::pool_free(nullptr, &raw));
  CHECK(rml::pool_identify(&raw) == nullptr);
}

TEST_CASE("random operations in a pool against a shadow, then everything goes back") {
  for (bool const keep : {false, true}) {
    rml::MemoryPool* const pool = make(rml::MemPoolPolicy(take, give, 0, false, keep));
    struct object {
      unsigned char* p = nullptr;
      std::size_t size = 0;
      unsigned char tag = 0;
    };
    std::vector<object> objects(200);
    std::uint64_t x = 12345;
    auto const random = [&](std::size_t n) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      return (x >> 33) % n;
    };
    auto const intact = [](object const& o, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) {
        if (o.p[i] != o.tag) {
          return false;
        }
      }
      return true;
    };
    for (int i = 0; i < 50000; ++i) {
      object& o = objects[random(objects.size())];
      std::size_t const size = random(20) ? random(500) + 1 : random(200000) + 1;
      if (o.p != nullptr && random(3) == 0) {
        std::size_t const kept = size < o.size ? size : o.size;
        o.p = static_cast<unsigned char*>(rml::pool_realloc(pool, o.p, size));
        REQUIRE(o.p != nullptr);
        REQUIRE(intact(o, kept));
      } else if (o.p != nullptr) {
        REQUIRE(intact(o, o.size));
        REQUIRE(rml::pool_free(pool, o.p));
        o = object{};
        continue;
      } else {
        std::size_t const align = std::size_t{1} << random(13);
        bool const aligned = random(4) == 0;
        o.p = static_cast<unsigned char*>(aligned ? rml::pool_aligned_malloc(pool, size, align)
                                                  : rml::pool_malloc(pool, size));
        REQUIRE(o.p != nullptr);
        REQUIRE(reinterpret_cast<std::uintptr_t>(o.p) % (aligned ? align : 16) == 0);
      }
      REQUIRE(rml::pool_msize(pool, o.p) >= size);
      REQUIRE(rml::pool_identify(o.p) == pool);
      o.size = size;
      o.tag = static_cast<unsigned char>(random(256));
      std::memset(o.p, o.tag, size);
    }
    CHECK((raw.given > 0) == !keep);
    CHECK(rml::pool_destroy(pool));
    CHECK(raw.taken == raw.given);
  }
}

TEST_CASE("reset keeps the memory and frees the objects") {
  rml::MemoryPool* const pool = make(rml::MemPoolPolicy(take, give));
  std::size_t calls = 0;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 1000; ++i) {
      REQUIRE(rml::pool_malloc(pool, 300) != nullptr);
    }
    if (round == 0) {
      calls = raw.calls;
    }
    CHECK(rml::pool_reset(pool));
  }
  CHECK(raw.calls == calls);
  raw.fail_free = true;
  CHECK_FALSE(rml::pool_destroy(pool));
  CHECK(raw.taken == raw.given);
}

TEST_CASE("a pool without memory says so and works again later") {
  rml::MemoryPool* const pool = make(rml::MemPoolPolicy(take, give));
  raw.limit = 1 << 20;
  std::vector<void*> objects;
  while (void* const p = rml::pool_malloc(pool, 10000)) {
    objects.push_back(p);
  }
  CHECK(errno == ENOMEM);
  CHECK(objects.size() > 80);
  CHECK(rml::pool_malloc(pool, ~std::size_t{0} - 5) == nullptr);
  CHECK(rml::pool_aligned_malloc(pool, 100, 3) == nullptr);
  for (void* p : objects) {
    CHECK(rml::pool_free(pool, p));
  }
  CHECK(rml::pool_malloc(pool, 10000) != nullptr);
  CHECK(rml::pool_destroy(pool));
}

TEST_CASE("objects are freed by other threads") {
  rml::MemoryPool* const pool = make(rml::MemPoolPolicy(take, give));
  std::vector<std::thread> team;
  std::vector<void*> made[4];
  for (auto& mine : made) {
    team.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        mine.push_back(rml::pool_malloc(pool, static_cast<std::size_t>(i % 400)));
        std::memset(mine.back(), 1, static_cast<std::size_t>(i % 400));
      }
    });
  }
  for (std::thread& t : team) {
    t.join();
  }
  team.clear();
  for (std::size_t t = 0; t < 4; ++t) {
    team.emplace_back([&, t] {
      for (void* p : made[(t + 1) % 4]) {
        rml::pool_free(pool, p);
      }
    });
  }
  for (std::thread& t : team) {
    t.join();
  }
  CHECK(rml::pool_destroy(pool));
  CHECK(raw.taken == raw.given);
}

TEST_CASE("the pool classes") {
  alignas(16) static char buffer[100000];
  {
    tbb::fixed_pool pool(buffer + 3, sizeof buffer - 3);
    std::size_t n = 0;
    while (void* const p = pool.malloc(100)) {
      CHECK(p >= buffer);
      CHECK(p < buffer + sizeof buffer);
      ++n;
    }
    CHECK(n > sizeof buffer / 130);
    pool.recycle();
    void* p = pool.malloc(50000);
    CHECK(p != nullptr);
    p = pool.realloc(p, 90000);
    CHECK(p != nullptr);
    CHECK(pool.malloc(50000) == nullptr);
    pool.free(p);
  }
  CHECK_THROWS_AS(tbb::fixed_pool(nullptr, 10), std::invalid_argument);
  CHECK_THROWS_AS(tbb::fixed_pool(buffer, 0), std::invalid_argument);
  CHECK(tbb::fixed_pool(buffer, 20).malloc(1) == nullptr);

  tbb::memory_pool<tbb::scalable_allocator<double[3]>> growing;
  using allocator = tbb::memory_pool_allocator<int>;
  std::list<int, allocator> list{allocator(growing)};
  std::map<int, int, std::less<int>, tbb::memory_pool_allocator<std::pair<int const, int>>> map{
      tbb::memory_pool_allocator<std::pair<int const, int>>(growing)};
  for (int i = 0; i < 10000; ++i) {
    list.push_back(i);
    map[i * 7919 % 10007] = i;
  }
  CHECK(list.size() == 10000);
  CHECK(map.size() == 10000);
  CHECK(allocator(growing) == tbb::memory_pool_allocator<long>(growing));
}
