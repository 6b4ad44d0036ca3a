// SPDX-License-Identifier: Apache-2.0
// The groups of a hash table by index: segments that double, and a supply of groups that continue a full one. Any
// thread may look up and grow; release() needs the directory for itself alone. Memory comes zeroed, so a new group is
// unlocked, empty and not ready.
//
// Ordering
// [D1] a segment is entered, then the mask grows: release -> [D2] the mask is read: acquire, sees the segment
// [D3] the supply is unlocked: release -> [D4] it is locked: acquire
#pragma once

#include <ashlar/base/memory.h>
#include <ashlar/containers/hash_group.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace ashlar {
inline namespace v1 {
namespace containers {

// `count` objects of `bytes` each, zeroed and aligned to cache lines whatever the allocator does; null if it throws.
// The allocator's own address is kept behind the memory.
template <typename Allocator>
struct line_memory {
  struct unit {
    void* words[cache_line / sizeof(void*)];
  };
  using unit_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<unit>;
  using traits = std::allocator_traits<unit_allocator>;

  static void* allocate(Allocator const& memory, std::size_t lines) {
    unit_allocator units(memory);
    unit* const raw = traits::allocate(units, lines + 1);
    auto const address = (reinterpret_cast<std::uintptr_t>(raw) + cache_line - 1) & ~(cache_line - 1);
    auto* const aligned = reinterpret_cast<unit*>(address);
    prefer_huge_pages(aligned, lines * cache_line);
    std::memset(static_cast<void*>(aligned), 0, lines * cache_line);
    std::memcpy(static_cast<void*>(aligned + lines), &raw, sizeof raw);
    return aligned;
  }
  static void deallocate(Allocator const& memory, void* p, std::size_t lines) noexcept {
    unit* raw;
    std::memcpy(&raw, static_cast<void*>(static_cast<unit*>(p) + lines), sizeof raw);
    unit_allocator units(memory);
    traits::deallocate(units, raw, lines + 1);
  }
};

template <typename Allocator>
class group_directory {
 public:
  static constexpr std::size_t first_groups = 8;

  group_directory() noexcept = default;
  group_directory(group_directory const&) = delete;
  group_directory& operator=(group_directory const&) = delete;

  // The number of groups minus one; all bits below the highest are set.
  std::uint32_t mask() const noexcept { return mask_.load(mo::acquire); }  // [D2]
  hash_group* at(std::uint32_t index) const noexcept {
    unsigned const s = segment_of(index);
    return segments_[s].load(mo::relaxed) + (index - begin_of(s));
  }
  // Sees through groups that have not received their elements yet.
  hash_group* responsible(std::uint32_t hash) const noexcept {
    std::uint32_t index = hash & mask();
    hash_group* g = at(index);
    while (ASHLAR_UNLIKELY((g->read() & hash_group::ready) == 0)) {
      index = parent_of(index);
      g = at(index);
    }
    return g;
  }
  static std::uint32_t parent_of(std::uint32_t index) noexcept { return index & ~highest_bit(index); }
  static std::uint32_t highest_bit(std::uint32_t index) noexcept { return 1u << (31 - __builtin_clz(index)); }

  // The first groups, ready. Throws what the allocator throws.
  void start(Allocator const& memory) {
    auto* const g = static_cast<hash_group*>(line_memory<Allocator>::allocate(memory, first_groups));
    for (std::size_t i = 0; i < first_groups; ++i) g[i].control.store(hash_group::ready, mo::relaxed);
    segments_[0].store(g, mo::relaxed);
    mask_.store(first_groups - 1, mo::release);  // [D1]
  }
  // Doubles the table, unless somebody else does, memory fails or it has its greatest size. True if it has grown.
  bool grow(Allocator const& memory) noexcept {
    if (busy_.exchange(1, mo::acquire) != 0) return false;  // [D4]
    std::uint32_t const m = mask_.load(mo::relaxed);
    bool grown = false;
    if (m < most_mask) {
      std::size_t const groups = std::size_t{m} + 1;
      if (void* const place = try_allocate(memory, groups)) {
        segments_[segment_of(m + 1)].store(static_cast<hash_group*>(place), mo::relaxed);
        mask_.store(2 * m + 1, mo::release);  // [D1]
        grown = true;
      }
    }
    busy_.store(0, mo::release);  // [D3]
    return grown;
  }
  // A group to continue a chain. Throws what the allocator throws.
  hash_group* more(Allocator const& memory) {
    for (sync::backoff wait; busy_.exchange(1, mo::acquire) != 0; wait.pause()) {  // [D4]
    }
    ASHLAR_TRY {
      if (spare_ == nullptr || spare_used_ == batch) {
        auto* const g = static_cast<hash_group*>(line_memory<Allocator>::allocate(memory, batch));
        g->nodes[0].store(spare_, mo::relaxed);  // the batches form a list, through their first groups
        spare_ = g;
        spare_used_ = 1;
      }
    }
    ASHLAR_CATCH_ALL {
      busy_.store(0, mo::release);  // [D3]
      ASHLAR_RETHROW;
    }
    hash_group* const g = spare_ + spare_used_++;
    busy_.store(0, mo::release);  // [D3]
    return g;
  }

  void release(Allocator const& memory) noexcept {
    for (std::size_t m = mask_.load(mo::relaxed); m + 1 > first_groups; m /= 2) {
      unsigned const s = segment_of(static_cast<std::uint32_t>(m));
      line_memory<Allocator>::deallocate(memory, segments_[s].load(mo::relaxed), (m + 1) / 2);
    }
    line_memory<Allocator>::deallocate(memory, segments_[0].load(mo::relaxed), first_groups);
    while (spare_) {
      auto* const following = static_cast<hash_group*>(spare_->nodes[0].load(mo::relaxed));
      line_memory<Allocator>::deallocate(memory, spare_, batch);
      spare_ = following;
    }
  }

 private:
  static constexpr unsigned first_bits = 3;
  static constexpr std::uint32_t most_mask = 0x7fffffff;
  static constexpr std::size_t batch = 8;
  static_assert(first_groups == std::size_t{1} << first_bits, "");

  static unsigned segment_of(std::uint32_t index) noexcept {
    return index < first_groups ? 0 : 32 - first_bits - static_cast<unsigned>(__builtin_clz(index));
  }
  static std::uint32_t begin_of(unsigned segment) noexcept { return segment ? 1u << (segment + first_bits - 1) : 0; }
  static void* try_allocate(Allocator const& memory, std::size_t lines) noexcept {
    ASHLAR_TRY { return line_memory<Allocator>::allocate(memory, lines); }
    ASHLAR_CATCH_ALL { return nullptr; }
  }

  atomic<std::uint32_t> mask_{0};
  atomic<std::uint32_t> busy_{0};
  atomic<hash_group*> segments_[32 - first_bits + 1] = {};
  hash_group* spare_ = nullptr;
  std::size_t spare_used_ = 0;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
