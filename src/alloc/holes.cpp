// SPDX-License-Identifier: Apache-2.0
// Memory inside of partly used pages. Where sizes drift, a page keeps a few survivors for long; what lies between them
// goes back to the system once the heap has more than 4 MB of it: from pages with a quarter of their objects left,
// or, of small objects, two for each system page.
//
// A page has at most 64 grains: of 4 KiB, twice that in the longest pages, or system pages where these are longer.
// Where a system page is longer than a unit, pages of heaps are no multiples of it, and their memory stays. A free
// object that starts in a grain which was given back is in no list any more; the grain's bit in page::holes stands for
// it.
#include "alloc/heap.h"

namespace ashlar::inline v1::alloc {

namespace {

std::size_t grain_of(page const* pg) {
  std::size_t const wanted = pg->units <= 16 ? 4096 : 8192;
  return wanted > system_page() ? wanted : system_page();
}

// The objects that start in a grain: [first, end).
struct grain_objects {
  grain_objects(page const* pg, std::size_t grain) noexcept {
    std::size_t const size = pg->block_size.load(mo::relaxed);
    std::size_t const bytes = grain_of(pg);
    first = (grain * bytes + size - 1) / size;
    end = ((grain + 1) * bytes + size - 1) / size;
    end = end < pg->capacity ? end : pg->capacity;
  }
  std::size_t first;
  std::size_t end;
};

// How much of each grain is free.
class free_bytes {
 public:
  explicit free_bytes(page const* pg) noexcept
      : grain_(grain_of(pg)), grains_(pg->bytes() / grain_), size_(pg->block_size.load(mo::relaxed)) {
    add(pg->capacity * size_, pg->bytes());
  }
  void add_object(std::size_t offset) noexcept { add(offset, offset + size_); }
  std::uint64_t whole() const noexcept {
    std::uint64_t found = 0;
    for (std::size_t g = 0; g < grains_; ++g) {
      found |= std::uint64_t{bytes_[g] == grain_} << g;
    }
    return found;
  }

 private:
  void add(std::size_t at, std::size_t end) noexcept {
    while (at < end) {
      std::size_t const g = at / grain_;
      std::size_t const stop = (g + 1) * grain_ < end ? (g + 1) * grain_ : end;
      bytes_[g] += static_cast<std::uint32_t>(stop - at);
      at = stop;
    }
  }

  std::size_t const grain_;
  std::size_t const grains_;
  std::size_t const size_;
  std::uint32_t bytes_[64] = {};
};

void purge(page const* pg, std::uint64_t grains) {
  std::size_t const bytes = grain_of(pg);
  while (grains) {
    unsigned const first = static_cast<unsigned>(__builtin_ctzll(grains));
    std::uint64_t const rest = ~(grains >> first);
    unsigned const length = rest ? static_cast<unsigned>(__builtin_ctzll(rest)) : 64;
    os_purge(pg->begin() + first * bytes, length * bytes);
    grains = first + length < 64 ? grains & (~std::uint64_t{0} << (first + length)) : 0;
  }
}

}  // namespace

std::uint32_t heap::count_given_back(page const* pg) noexcept {
  std::size_t n = 0;
  for (std::uint64_t left = pg->holes; left; left &= left - 1) {
    grain_objects const o(pg, static_cast<std::size_t>(__builtin_ctzll(left)));
    n += o.end - o.first;
  }
  return static_cast<std::uint32_t>(n);
}

// The objects of one grain become a list: `free` is empty.
void heap::fill_hole(page* pg) noexcept {
  grain_objects const o(pg, static_cast<std::size_t>(__builtin_ctzll(pg->holes)));
  pg->holes &= pg->holes - 1;
  std::size_t const size = pg->block_size.load(mo::relaxed);
  for (std::size_t i = o.end; i-- > o.first;) {
    block* const b = reinterpret_cast<block*>(pg->begin() + i * size);
    b->set_next(pg->free);
    b->sign(pg);
    pg->free = b;
  }
  if (!pg->holes) {
    pg->owner.set(this);
  }
}

// Objects in holes have no signature, so the fast path leaves such pages alone.
void heap::free_beside_holes(page* pg, void* p) noexcept {
  block* const b = static_cast<block*>(p);
  if (b->signed_free(pg)) {
    return suspect(p);
  }
  if (in_hole(pg, p)) {
    report_double_free(p);
  }
  b->sign(pg);
  b->set_next(pg->free);
  pg->free = b;
  if (--pg->needed == 0) {
    look_after_free(pg);
  }
}

bool heap::is_given_back(page const* pg, void const* p) noexcept {
  std::size_t const grain = static_cast<std::size_t>(static_cast<char const*>(p) - pg->begin()) / grain_of(pg);
  return pg->holes >> grain & 1;
}

// A page has become partial or emptier: `live` objects are left.
void heap::count_idle(page* pg, std::uint32_t live) noexcept {
  std::uint32_t const free = pg->capacity - live - count_holes(pg);
  std::size_t const bytes = std::size_t{free} * pg->block_size.load(mo::relaxed);
  idle_bytes_ += bytes - pg->idle_bytes;
  pg->idle_bytes = bytes;
  std::uint32_t const few = pg->capacity > 64 ? 8 * pg->units : pg->capacity / 4;
  if (idle_bytes_ > most_idle_bytes && live <= few && system_page() <= unit_bytes) {
    make_holes(pg);
  }
}

void heap::forget_idle(page* pg) noexcept {
  idle_bytes_ -= pg->idle_bytes;
  pg->idle_bytes = 0;
}

// Gives back the grains that no live object touches.
void heap::make_holes(page* pg) noexcept {
  forget_idle(pg);
  std::size_t const size = pg->block_size.load(mo::relaxed);
  char* const begin = pg->begin();
  free_bytes free(pg);
  for (block const* list : {pg->free, pg->reserve}) {
    for (; list != nullptr; list = list->next()) {
      free.add_object(static_cast<std::size_t>(reinterpret_cast<char const*>(list) - begin));
    }
  }
  for (char* p = pg->fresh; p != pg->fresh_end; p += size) {
    free.add_object(static_cast<std::size_t>(p - begin));
  }
  for (std::uint64_t left = pg->holes; left; left &= left - 1) {
    grain_objects const o(pg, static_cast<std::size_t>(__builtin_ctzll(left)));
    for (std::size_t i = o.first; i < o.end; ++i) {
      free.add_object(i * size);
    }
  }
  std::uint64_t const fresh = free.whole() & ~pg->holes;
  if (!fresh) {
    return;
  }
  pg->holes |= fresh;
  // Lists keep what starts elsewhere.
  std::size_t const grain = grain_of(pg);
  for (block** head : {&pg->free, &pg->reserve}) {
    block* next;
    block* kept = nullptr;
    for (block* b = *head; b != nullptr; b = next) {
      next = b->next();
      std::size_t const g = static_cast<std::size_t>(reinterpret_cast<char*>(b) - begin) / grain;
      if (!(pg->holes >> g & 1)) {
        b->set_next(kept);
        kept = b;
      }
    }
    *head = kept;
  }
  for (char* p = pg->fresh; p != pg->fresh_end; p += size) {
    if (!(pg->holes >> (static_cast<std::size_t>(p - begin) / grain) & 1)) {
      block* const b = reinterpret_cast<block*>(p);
      b->set_next(pg->free);
      b->sign(pg);
      pg->free = b;
    }
  }
  if (!hardened) {
    pg->owner.set(page::holed(this));
  }
  pg->fresh = pg->fresh_end;
  purge(pg, fresh);
}

}  // namespace ashlar::inline v1::alloc
