// SPDX-License-Identifier: Apache-2.0
// The regions of all memory pools, ordered by address: which one holds an object? A search tree whose shape depends
// on a hash of the addresses alone (a treap), so every operation takes logarithmic time, as good as always, whatever
// the order of the regions is. Not thread-safe: the lock of the list of pools protects it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rml {
class MemoryPool;
}

namespace ashlar {
inline namespace v1 {
namespace alloc {

class slow_lock;
// The lock of all regions, which is held while the process forks.
slow_lock& pool_regions_lock() noexcept;

struct pool_region {
  rml::MemoryPool* pool;
  void* start;
  std::size_t bytes;
  pool_region* next = nullptr;  // of the pool's regions
  pool_region* prev = nullptr;
  pool_region* lower = nullptr;  // in the tree
  pool_region* higher = nullptr;
};

class pool_regions {
 public:
  void insert(pool_region* r) noexcept {
    pool_region** link = &root_;
    while (*link && rank(*link) >= rank(r)) {
      link = begin_of(r) < begin_of(*link) ? &(*link)->lower : &(*link)->higher;
    }
    // What stands here is split into what lies below r and what lies above it.
    pool_region* rest = *link;
    *link = r;
    pool_region** low = &r->lower;
    pool_region** high = &r->higher;
    while (rest != nullptr) {
      pool_region**& side = begin_of(rest) < begin_of(r) ? low : high;
      *side = rest;
      side = &side == &low ? &rest->higher : &rest->lower;
      rest = *side;
    }
    *low = nullptr;
    *high = nullptr;
  }

  void remove(pool_region* r) noexcept {
    pool_region** link = &root_;
    while (*link && *link != r) {
      link = begin_of(r) < begin_of(*link) ? &(*link)->lower : &(*link)->higher;
    }
    if (!*link) {
      return;
    }
    pool_region* low = r->lower;
    pool_region* high = r->higher;
    while (low != nullptr && high != nullptr) {
      pool_region*& upper = rank(low) >= rank(high) ? low : high;
      *link = upper;
      link = &upper == &low ? &upper->higher : &upper->lower;
      upper = *link;
    }
    *link = low != nullptr ? low : high;
  }

  // The region that p lies in, or null.
  pool_region* find(void const* p) const noexcept {
    std::uintptr_t const at = reinterpret_cast<std::uintptr_t>(p);
    for (pool_region* r = root_; r;) {
      if (at < begin_of(r)) {
        r = r->lower;
      } else if (at - begin_of(r) < r->bytes) {
        return r;
      } else {
        r = r->higher;
      }
    }
    return nullptr;
  }

 private:
  static std::uintptr_t begin_of(pool_region const* r) noexcept { return reinterpret_cast<std::uintptr_t>(r->start); }
  static std::uint64_t rank(pool_region const* r) noexcept {
    std::uint64_t const mixed = (begin_of(r) ^ begin_of(r) >> 29) * 0x9e3779b97f4a7c15u;
    return (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
  }

  pool_region* root_ = nullptr;
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
