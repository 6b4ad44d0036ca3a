// SPDX-License-Identifier: Apache-2.0
#include "alloc/large.h"

#include "alloc/backend.h"
#include "alloc/huge_cache.h"

#include <cstdint>

namespace ashlar::inline v1::alloc {

namespace {

void* hand_out(page* pg, bool* zeroed) {
  if (zeroed != nullptr) {
    *zeroed = pg->zeroed;
  }
  return hand_out_large(pg);
}

ASHLAR_ALWAYS_INLINE page* take(large_cache* kept, std::size_t size, std::size_t align) {
  if (size > absurd_size || align > absurd_size) {
    return nullptr;
  }
  std::uint32_t const units = large_units(size ? size : 1);
  std::uint32_t const align_units = align > unit_bytes ? units_for(align) : 1;
  page* pg = align_units == 1 && kept ? kept->take(units) : nullptr;
  if (pg == nullptr && align_units == 1) {
    pg = kept_huge.take(units);
  }
  if (pg == nullptr) {
    pg = central.take(units, align_units, false);
    if (pg != nullptr) {
      guard(pg, true);
      pg->alive = nullptr;
    }
  }
  return pg;
}

}  // namespace

void* allocate_large(large_cache* kept, std::size_t size, std::size_t align, bool* zeroed) noexcept {
  page* const pg = take(kept, size, align);
  return pg != nullptr ? hand_out(pg, zeroed) : nullptr;
}

void* allocate_alone(large_cache& kept, std::size_t size, rare_classes::counter& alive) noexcept {
  page* const pg = take(&kept, size, granule);
  if (pg == nullptr) {
    return nullptr;
  }
  alive.fetch_add(1, mo::relaxed);
  pg->alive = &alive;
  return hand_out(pg, nullptr);
}

void free_large(large_cache* kept, page* pg, void* p) noexcept {
  if (p != pg->begin()) {
    fatal("free(): not the start of an object:", p);
  }
  pg->kind.store(page_kind::cached, mo::relaxed);
  pg->zeroed = false;
  if (pg->alive) {
    pg->alive->fetch_sub(1, mo::relaxed);
    pg->alive = nullptr;
  }
  if (kept_huge.keep(pg)) {
    return;
  }
  if (!kept || !kept->keep(pg)) {
    give_guarded(pg, false);
  }
}

void* resize_large(page* pg, std::size_t size) noexcept {
  if (size > absurd_size) {
    return nullptr;
  }
  std::uint32_t const units = units_for(size);
  if (units <= pg->units) {
    if (units < pg->units - pg->units / 4) {
      central.shorten(pg, units);
    }
  } else if (!central.extend(pg, units)) {
    // An object that grew will grow again: a quarter more of address space saves moves, and costs memory only where
    // it is used. Moving is by page tables, but that too costs time for every page.
    page* const fresh = central.take(units + units / 4, 1, false);
    if (fresh == nullptr) {
      return nullptr;
    }
    rare_classes::counter* const alive = pg->alive;
    if (!central.move(pg, fresh, std::size_t{pg->units} << unit_shift)) {
      central.give(fresh, false);
      return nullptr;
    }
    fresh->zeroed = false;
    fresh->alive = alive;
    pg = fresh;
  }
  return hand_out(pg, nullptr);
}

}  // namespace ashlar::inline v1::alloc
