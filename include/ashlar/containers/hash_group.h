// SPDX-License-Identifier: Apache-2.0
// One bucket of a hash table: a cache line with six pointers to nodes, a tag byte of each node's hash, and a lock. A
// reader needs no lock: it reads the tags, then the nodes whose tag matches. Only the holder of the lock of the first
// group of a chain changes the chain. Beside a node's address, which has 48 bits, its slot has the bits of the hash
// that decide where the node goes when groups are split, so that a split reads no nodes.
//
// The first group of a chain counts the steps of its splits: a reader that finds nothing, and then another count, looks
// again.
//
// Ordering
// [H7] the holder stores tags, which also unlocks: release -> [H8] tags are read or the lock is taken: acquire,
//      sees the slots and nodes behind the tags; and who sees a tag cleared by a split sees that the child was ready
//      and the split counted
// [H9] a group is linked: release -> [H10] a chain is followed: acquire, sees the group's tags and slots
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/sync/backoff.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace containers {

// A new table has 1 << first_group_bits groups; few in the model checker, where every word counts.
#ifdef ASHLAR_MODEL
constexpr unsigned first_group_bits = 1;
#else
constexpr unsigned first_group_bits = 3;
#endif

/// The tag of a hash: never 0, which marks a free slot. The table's size is far below the bits used.
constexpr std::uint64_t hash_tag(std::uint32_t hash) noexcept { return (hash >> 25) | 0x80; }

struct hash_group {
  static constexpr unsigned slot_count = 6;
  static constexpr std::uint64_t locked = 1;
  /// The group has received its elements from its parent.
  static constexpr std::uint64_t ready = 2;
  /// Counts the steps of splits. Not used in groups that continue others.
  static constexpr std::uint64_t steps = 0xfffc;

  atomic<std::uint64_t> control;  // lock and ready bits, steps, then six tags from bit 16 on
  atomic<hash_group*> next;
  atomic<std::uint64_t> nodes[slot_count];

  /// What a slot holds for a node: its address and the 16 bits of its hash that the first 16 splits look at.
  static std::uint64_t slot_word(void* node, std::uint32_t hash) noexcept {
    return reinterpret_cast<std::uintptr_t>(node) | static_cast<std::uint64_t>(hash >> first_group_bits & 0xffff) << 48;
  }
  static void* node_of(std::uint64_t word) noexcept {
    return reinterpret_cast<void*>(word & ((std::uint64_t{1} << 48) - 1));
  }
  /// True if slot words tell bit `bit` of the hash; then bit_of() does, as 0 or 1.
  static bool has_bit(unsigned bit) noexcept { return bit - first_group_bits < 16; }
  static std::uint64_t bit_of(std::uint64_t word, unsigned bit) noexcept {
    return word >> (48 + bit - first_group_bits) & 1;
  }

  /// The slots whose tag is `tag`, as bit 7 of each byte. Rarely another used slot is among them, behind one of these:
  /// the subtraction borrows from it.
  static std::uint64_t matches(std::uint64_t control, std::uint64_t tag) noexcept {
    std::uint64_t const x = control ^ (tag * ones);
    return (x - ones) & ~x & tag_signs;
  }
  static std::uint64_t used(std::uint64_t control) noexcept { return control & tag_signs; }
  static std::uint64_t unused(std::uint64_t control) noexcept { return ~control & tag_signs; }
  /// A control word with one step more.
  static std::uint64_t counted(std::uint64_t control) noexcept {
    return (control & ~steps) | ((control + (steps & (~steps + 1))) & steps);
  }
  /// The tags of a set of slots: and them away to free the slots.
  static std::uint64_t tags_in(std::uint64_t set) noexcept { return (set >> 7) * 0xff; }
  /// The slot of the lowest bit of a set that matches(), used() or unused() returned.
  static std::size_t slot_of(std::uint64_t set) noexcept {
    return std::size_t{static_cast<unsigned>(__builtin_ctzll(set)) / 8} - 2;
  }
  static std::uint64_t with_tag(std::uint64_t control, std::size_t slot, std::uint64_t tag) noexcept {
    return without_tag(control, slot) | tag << (8 * (slot + 2));
  }
  static std::uint64_t tag_at(std::uint64_t control, std::size_t slot) noexcept {
    return control >> (8 * (slot + 2)) & 0xff;
  }
  static std::uint64_t without_tag(std::uint64_t control, std::size_t slot) noexcept {
    return control & ~(std::uint64_t{0xff} << (8 * (slot + 2)));
  }

  std::uint64_t read() const noexcept { return control.load(mo::acquire); }        // [H8]
  hash_group* following() const noexcept { return next.load(mo::acquire); }        // [H10]
  void link(hash_group* g) noexcept { next.store(g, mo::release); }                // [H9]
  void write(std::uint64_t value) noexcept { control.store(value, mo::release); }  // [H7]
  /// Returns the control word without the lock bit; write() of such a word unlocks.
  std::uint64_t lock() noexcept {
    if (ASHLAR_UNLIKELY((control.fetch_or(locked, mo::acquire) & locked) != 0)) wait_and_lock();  // [H8]
    return control.load(mo::relaxed) & ~locked;
  }

 private:
  ASHLAR_NOINLINE void wait_and_lock() noexcept {
    sync::backoff wait;
    do {
      while ((control.load(mo::relaxed) & locked) != 0) wait.pause();
    } while ((control.fetch_or(locked, mo::acquire) & locked) != 0);  // [H8]
  }

  static constexpr std::uint64_t ones = 0x0101010101010000;
  static constexpr std::uint64_t tag_signs = 0x8080808080800000;
};
static_assert(sizeof(hash_group) == cache_line, "a group is one cache line");

/// A chain of groups as the holder of its lock sees it: where an element is, or can be put.
struct group_slot {
  hash_group* group;
  std::size_t slot;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
