// SPDX-License-Identifier: Apache-2.0
#include "alloc/large.h"

#include "alloc/backend.h"
#include "alloc/huge_cache.h"

#include <cstdint>

namespace ashlar::inline v1::alloc {

namespace {

// Beyond this no system has the memory, and below it sums of an object's and an alignment's units can't overflow.
constexpr std::size_t absurd = std::size_t{1} << 44;
static_assert(absurd >> unit_shift <= 1u << 30);

std::uint32_t units_for(std::size_t size) { return static_cast<std::uint32_t>((size + unit_bytes - 1) >> unit_shift); }

// A thirty-second more of address space at most, so that the run can serve the next object of about the size.
std::uint32_t rounded(std::uint32_t units) {
  std::uint32_t const step = units < 64 ? 1 : 1u << (26 - __builtin_clz(units));
  return (units + step - 1) & ~(step - 1);
}

void* hand_out(page* pg, bool* zeroed) {
  pg->kind.store(page_kind::large, mo::relaxed);
  if (zeroed != nullptr) {
    *zeroed = pg->zeroed;
  }
  return pg->begin();
}

ASHLAR_ALWAYS_INLINE page* take(large_cache* kept, std::size_t size, std::size_t align) {
  if (size > absurd || align > absurd) {
    return nullptr;
  }
  std::uint32_t const units = rounded(units_for((size ? size : 1) + guard_bytes));
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
  if (size > absurd) {
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
