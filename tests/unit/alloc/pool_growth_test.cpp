// SPDX-License-Identifier: Apache-2.0
// Pools that are very small, and pools of very many regions.
#include "alloc/pool_regions.h"

#include <doctest/doctest.h>

#include <tbb/memory_pool.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <random>
#include <vector>

using ashlar::alloc::pool_region;

TEST_CASE("a fixed pool may be too small for any object") {
  alignas(16) static char memory[400];
  for (std::size_t size = 1; size <= sizeof memory; ++size) {
    CAPTURE(size);
    tbb::fixed_pool pool(memory, size);
    char* const p = static_cast<char*>(pool.malloc(16));
    CHECK((p == nullptr || (p >= memory && p + 16 <= memory + size)));
    CHECK((p != nullptr) == (size >= 48));  // the object, its header and the end's
    pool.free(p);
    CHECK(pool.malloc(16) == p);
    CHECK(pool.malloc(size) == nullptr);
  }
}

TEST_CASE("regions are found by address, whatever their order") {
  std::mt19937 random(7);
  for (int order = 0; order < 3; ++order) {
    ashlar::alloc::pool_regions tree;
    std::map<std::uintptr_t, std::unique_ptr<pool_region>> shadow;
    for (std::uintptr_t step = 0; step < 4000; ++step) {
      std::uintptr_t const slot = order == 0 ? step : order == 1 ? 4000 - step : random() % 4000;
      std::uintptr_t const at = 0x10000 + slot * 256;
      if (order == 2 && shadow.count(at)) {
        tree.remove(shadow[at].get());
        shadow.erase(at);
      } else {
        auto& r = shadow[at];
        r.reset(new pool_region{nullptr, reinterpret_cast<void*>(at), 100 + step % 100});
        tree.insert(r.get());
      }
      if (order != 2 && step % 3 == 2) {
        auto const victim = std::next(shadow.begin(), static_cast<long>(random() % shadow.size()));
        tree.remove(victim->second.get());
        shadow.erase(victim);
      }
    }
    for (std::uintptr_t at = 0x10000; at < 0x10000 + 4001 * 256; at += 17) {
      auto const above = shadow.upper_bound(at);
      pool_region* expected = above == shadow.begin() ? nullptr : std::prev(above)->second.get();
      if (expected != nullptr && at >= std::prev(above)->first + expected->bytes) expected = nullptr;
      if (tree.find(reinterpret_cast<void*>(at)) != expected) {
        FAIL_CHECK("wrong region for " << at);
        break;
      }
    }
  }
}

namespace {

// Whether 16000 of what takes time take little more than eight times of what 2000 take. What else the machine does only
// adds to a time: of several pairs the least times count.
template <typename Seconds>
bool in_proportion(Seconds const& seconds) {
  double few = 1e9, many = 1e9;
  for (int i = 0; i < 10; ++i) {
    few = std::min(few, seconds(2000));
    many = std::min(many, seconds(16000));
    if (many < 16 * few + 0.1) return true;
  }
  return false;
}

double seconds_to_free_all(int pairs, bool backwards) {
  tbb::memory_pool<std::allocator<char>> pool;
  std::vector<void*> objects;
  for (int i = 0; i < pairs; ++i) {
    objects.push_back(pool.malloc(7 << 10));
    objects.push_back(pool.malloc(10 << 10));
  }
  if (backwards) std::reverse(objects.begin(), objects.end());
  std::clock_t const start = std::clock();
  for (void* const p : objects) pool.free(p);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("the time to free all objects of a pool is in proportion to their number") {
  for (bool const backwards : {false, true}) {
    CHECK(in_proportion([backwards](int pairs) { return seconds_to_free_all(pairs, backwards); }));
  }
}

TEST_CASE("many free blocks that are a little too small do not slow a pool down") {
  auto const seconds = [](int n) {
    tbb::memory_pool<std::allocator<char>> pool;
    std::vector<void*> small;
    for (int i = 0; i < n; ++i) {
      small.push_back(pool.malloc(2080));
      REQUIRE(pool.malloc(16) != nullptr);  // stays, so that neighbours don't join
    }
    for (void* const p : small) pool.free(p);
    std::clock_t const start = std::clock();
    for (int i = 0; i < n; ++i) REQUIRE(pool.malloc(2128) != nullptr);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  CHECK(in_proportion(seconds));
}
