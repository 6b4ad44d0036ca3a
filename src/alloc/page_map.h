// SPDX-License-Identifier: Apache-2.0
// From an address to its page. Two structures hold the same entries:
//
//  - `near`, a direct-mapped table of the units modulo 4 GB. One load gives the only page that the address can
//    belong to, unless two live units are 4 GB apart; whether it does belong to it, page::is_block tells. This is
//    what free uses first.
//  - a two-level map, exact for every address: the slow path's and everybody's who asks about foreign pointers.
//    Its leaves cover 1 GB each and are mapped when memory in their range is.
//
// An entry is the distance of a page descriptor from the table itself, so that the zero of a fresh table means the
// descriptor `none`, which owns nothing and accepts nothing, and free needs no test for it. Entries are written
// under the backend's lock and read by any thread; readers need no order, because a pointer that is rightly freed
// came to its thread by a synchronisation that its allocation precedes, and other pointers are only compared.
#pragma once

#include "alloc/page.h"
#include "alloc/size_class.h"

namespace ashlar {
inline namespace v1 {
namespace alloc {

class page_map {
 public:
  ASHLAR_ALWAYS_INLINE page* near(void const* p) noexcept {
    std::uint32_t const low = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p));
    return from(near_[low >> unit_shift].get());
  }

  // The page of the unit that holds p; null if it has none.
  page* find(void const* p) noexcept {
    page* const pg = find_or_none(p);
    return pg == &none_ || reinterpret_cast<std::uintptr_t>(p) >> address_bits ? nullptr : pg;
  }
  // The same with `none` in the place of null, and for an address that no program can have, the page of another one,
  // which does not accept it either.
  ASHLAR_ALWAYS_INLINE page* find_or_none(void const* p) noexcept {
    std::uintptr_t const a = reinterpret_cast<std::uintptr_t>(p);
    leaf const* const l = leaves_[(a >> leaf_shift) & (leaf_count - 1)].load(mo::acquire);  // [PM2]
    if (ASHLAR_UNLIKELY(l == nullptr)) {
      return &none_;
    }
    return from(l->at[(a >> unit_shift) & (leaf_units - 1)].load(mo::relaxed));
  }

  // Makes room for entries of [start, start + bytes). False if there is no memory. Lock held.
  bool cover(std::uintptr_t start, std::size_t bytes) noexcept;

  // Lock held; the unit must be covered. Null clears.
  void set(std::uintptr_t address, page* pg) noexcept {
    std::uintptr_t const e =
        pg != nullptr ? reinterpret_cast<std::uintptr_t>(pg) - reinterpret_cast<std::uintptr_t>(this) : 0;
    std::uintptr_t const unit = address >> unit_shift;
    leaves_[address >> leaf_shift].load(mo::relaxed)->at[unit & (leaf_units - 1)].store(e, mo::relaxed);
    near_[unit & (near_units - 1)].set(e);
  }

  // Calls take(page) for each page of memory that was ever covered, free runs included. What changes meanwhile is told
  // as it was or as it is.
  template <typename Take>
  void each_page(Take const& take) noexcept {
    for (std::uintptr_t i = 0; i < leaf_count; ++i) {
      leaf const* const l = leaves_[i].load(mo::acquire);  // [PM2]
      for (std::uintptr_t j = 0; l && j < leaf_units; ++j) {
        page* const pg = from(l->at[j].load(mo::relaxed));
        if (pg != &none_ && pg->start.get() >> unit_shift == ((i << leaf_shift) >> unit_shift) + j) take(*pg);
      }
    }
  }

 private:
  static constexpr unsigned address_bits = 47;
  static constexpr unsigned leaf_shift = 30;
  static constexpr std::size_t leaf_count = std::size_t{1} << (address_bits - leaf_shift);
  static constexpr std::size_t leaf_units = std::size_t{1} << (leaf_shift - unit_shift);
  static constexpr std::size_t near_units = std::size_t{1} << (32 - unit_shift);

  struct leaf {
    atomic<std::uintptr_t> at[leaf_units];
  };

  page* from(std::uintptr_t e) noexcept { return reinterpret_cast<page*>(reinterpret_cast<std::uintptr_t>(this) + e); }

  page none_;
  racy_word<std::uintptr_t> near_[near_units];
  atomic<leaf*> leaves_[leaf_count];
};

extern page_map map;

// Ordering: [PM1] cover: the new leaf's zeroes -> [PM2] find: its reader.

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
