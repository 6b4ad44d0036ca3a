// SPDX-License-Identifier: Apache-2.0
// The groups of a hash table by index: segments that double, and a supply of groups that continue a full one. Any
// thread may look up and grow; release() needs the directory for itself alone. A new group is all zero: unlocked, empty
// and not ready.
//
// The groups of a new segment are made in steps, and the table has doubled when the last one is made: so no operation
// waits for the memory of a whole segment.
//
// Ordering
// [GD1] a segment is entered, then the mask grows: release -> [GD2] the mask is read: acquire, sees the segment
// [GD3] the supply is unlocked: release -> [GD4] it is locked: acquire
#pragma once

#include <ashlar/base/lsan.h>
#include <ashlar/containers/hash_group.h>
#include <ashlar/os/memory.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// Cache lines, aligned whatever the allocator does. The allocator's own address stands before them, so that the end of
/// a large block stays untouched.
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
    auto const address = (reinterpret_cast<std::uintptr_t>(raw) + cache_line) & ~(cache_line - 1);
    auto* const aligned = reinterpret_cast<unit**>(address);
    prefer_huge_pages(aligned, lines * cache_line);
    aligned[-1] = raw;
    return aligned;
  }
  static void deallocate(Allocator const& memory, void* p, std::size_t lines) noexcept {
    unit_allocator units(memory);
    traits::deallocate(units, static_cast<unit**>(p)[-1], lines + 1);
  }
};

template <typename Allocator>
class group_directory {
 public:
  static constexpr std::uint32_t first_groups = 1u << first_group_bits;
  static constexpr std::uint32_t most_groups = 0x80000000;

  group_directory() noexcept = default;
  group_directory(group_directory const&) = delete;
  group_directory& operator=(group_directory const&) = delete;

  /// The number of groups minus one; all bits below the highest are set.
  std::uint32_t mask() const noexcept { return mask_.load(mo::acquire); }  // [GD2]
  hash_group* at(std::uint32_t index) const noexcept {
    std::uintptr_t const origin = origins_[segment_of(index)].load(mo::relaxed);
    return reinterpret_cast<hash_group*>(origin + index * sizeof(hash_group));
  }
  /// Sees through groups that have not received their elements yet.
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

  /// The first groups, ready. Throws what the allocator throws.
  void start(Allocator const& memory) {
    hash_group* const g = allocate(memory, first_groups);
    for (std::size_t i = 0; i < first_groups; ++i) g[i].control.store(hash_group::ready, mo::relaxed);
    enter(0, g);
    mask_.store(first_groups - 1, mo::release);  // [GD1]
  }
  /// Makes some of the groups that double the table, unless somebody else does, memory fails or the table has its
  /// greatest size. True if it has made some.
  bool grow(Allocator const& memory) noexcept {
    if (busy_.exchange(1, mo::acquire) != 0) return false;  // [GD4]
    std::uint32_t const m = mask_.load(mo::relaxed);
    bool const room = made_ != 0 || (m < most_groups - 1 && add_segment(memory, m + 1));
    if (room) {
      hash_group* const g = at(m + 1) + made_;
      std::uint32_t const count = m < step ? m + 1 : step;
      for (std::uint32_t i = 0; i < count; ++i) ::new (static_cast<void*>(g + i)) hash_group;
      made_ += count;
      if (made_ == m + 1) {
        made_ = 0;
        mask_.store(2 * m + 1, mo::release);  // [GD1]
      }
    }
    busy_.store(0, mo::release);  // [GD3]
    return room;
  }
  /// A group to continue a chain. Throws what the allocator throws.
  hash_group* more(Allocator const& memory) {
    lock();
    if (hash_group* const g = returned_) {
      returned_ = g->next.load(mo::relaxed);
      g->next.store(nullptr, mo::relaxed);
      busy_.store(0, mo::release);  // [GD3]
      return g;
    }
    ASHLAR_TRY {
      if (spare_ == nullptr || spare_used_ == batch) {
        hash_group* const g = allocate(memory, batch);
        g->next.store(spare_, mo::relaxed);  // the batches form a list, through their first groups
        spare_ = g;
        spare_used_ = 1;
      }
    }
    ASHLAR_CATCH_ALL {
      busy_.store(0, mo::release);  // [GD3]
      ASHLAR_RETHROW;
    }
    hash_group* const g = spare_ + spare_used_++;
    busy_.store(0, mo::release);  // [GD3]
    return g;
  }

  /// Takes back an empty group that is in no chain any more. Late readers may still go through it, so it stays a group
  /// whose slots hold nodes or nothing.
  void take_back(hash_group* g) noexcept {
    lock();
    g->next.store(returned_, mo::relaxed);
    returned_ = g;
    busy_.store(0, mo::release);  // [GD3]
  }

  void release(Allocator const& memory) noexcept {
    std::size_t m = mask_.load(mo::relaxed);
    if (made_ != 0) m = 2 * m + 1;
    for (; m + 1 > first_groups; m /= 2) {
      line_memory<Allocator>::deallocate(memory, at(static_cast<std::uint32_t>(m + 1) / 2), (m + 1) / 2);
    }
    line_memory<Allocator>::deallocate(memory, at(0), first_groups);
    while (spare_ != nullptr) {
      hash_group* const following = spare_->next.load(mo::relaxed);
      line_memory<Allocator>::deallocate(memory, spare_, batch);
      spare_ = following;
    }
  }

 private:
  static constexpr std::uint32_t step = 64;
  static constexpr std::size_t batch = 8;

  // For the groups from n on, n of them.
  bool add_segment(Allocator const& memory, std::uint32_t n) noexcept {
    ASHLAR_TRY {
      void* const lines = line_memory<Allocator>::allocate(memory, n);
      lsan::ignore(static_cast<void**>(lines)[-1]);  // the segment's origin is another address
      enter(n, static_cast<hash_group*>(lines));
      return true;
    }
    ASHLAR_CATCH_ALL { return false; }
  }

  void lock() noexcept {
    for (sync::backoff wait; busy_.exchange(1, mo::acquire) != 0;) {  // [GD4]
      while (busy_.load(mo::relaxed) != 0) wait.pause();
    }
  }
  static unsigned segment_of(std::uint32_t index) noexcept {
    return 31 - static_cast<unsigned>(__builtin_clz(index | (first_groups - 1)));
  }
  // A segment with the groups from `begin` on.
  void enter(std::uint32_t begin, hash_group* g) noexcept {
    origins_[segment_of(begin)].store(reinterpret_cast<std::uintptr_t>(g) - begin * sizeof(hash_group), mo::relaxed);
  }
  static hash_group* allocate(Allocator const& memory, std::size_t groups) {
    auto* const g = static_cast<hash_group*>(line_memory<Allocator>::allocate(memory, groups));
    for (std::size_t i = 0; i < groups; ++i) ::new (static_cast<void*>(g + i)) hash_group;
    return g;
  }

  atomic<std::uint32_t> mask_{0};
  atomic<std::uint32_t> busy_{0};
  std::uint32_t made_ = 0;  // groups of the segment beyond the mask, while it is being made
  // By the highest bit of the indexes: where group 0 would be if the segment went back so far.
  atomic<std::uintptr_t> origins_[32] = {};
  hash_group* spare_ = nullptr;     // the latest batch
  hash_group* returned_ = nullptr;  // what was taken back, as a list
  std::size_t spare_used_ = 0;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
