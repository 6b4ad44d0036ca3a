// SPDX-License-Identifier: Apache-2.0
#include "alloc/api.h"
#include "alloc/large.h"

#include <cerrno>
#include <cstring>

namespace ashlar::inline v1::alloc {

namespace {

constinit atomic<foreign_handlers const*> foreign{nullptr};

ASHLAR_COLD void* no_memory() noexcept {
  errno = ENOMEM;
  return nullptr;
}

// The page of an object that may be freed or resized; null if p is not ours. Ends the process for anything else.
page* page_of_object(void const* p, char const* misuse, char const* freed) noexcept {
  page* const pg = map.find(p);
  if (pg == nullptr) {
    return nullptr;
  }
  switch (pg->kind.load(mo::relaxed)) {
    case page_kind::small:
      if (!pg->is_block(p)) {
        fatal(pg->is_fresh(p) ? freed : misuse, p);
      }
      if (heap::is_free(pg, const_cast<void*>(p))) {
        fatal(freed, p);
      }
      return pg;
    case page_kind::large:
      if (p != pg->begin()) {
        fatal(misuse, p);
      }
      return pg;
    default:
      fatal(freed, p);
  }
}

// How many bytes of a small object the program may use.
std::size_t object_size(page const* pg, void const* p) noexcept {
  return hardened ? armed_size(pg, p) : pg->block_size.load(mo::relaxed);
}

}  // namespace

void set_foreign_handlers(foreign_handlers const* h) noexcept { foreign.store(h, mo::release); }  // [AF1]
foreign_handlers const* get_foreign_handlers() noexcept { return foreign.load(mo::acquire); }     // [AF2]
// Ordering: [AF1] set_foreign_handlers: the table -> [AF2] its reader.

static void* allocate_run(std::size_t size, std::size_t align, bool* zeroed) noexcept {
  heap_use const use;
  void* const p = allocate_large(use.get() ? &use.get()->large() : nullptr, size, align, zeroed);
  return ASHLAR_LIKELY(p != nullptr) ? p : no_memory();
}

static ASHLAR_NOINLINE void* allocate_in_class(unsigned c) noexcept {
  heap_use const use;
  heap* const h = use.get();
  void* const p = h != nullptr ? h->allocate_slow(c) : nullptr;
  return ASHLAR_LIKELY(p != nullptr) ? p : no_memory();
}

// A page hands out objects that were never used one by one: a list through them would touch their memory.
static ASHLAR_ALWAYS_INLINE void* allocate_fresh(unsigned c) noexcept {
  if constexpr (hardened) {
    return allocate_in_class(c);
  }
  page* const pg = current_heap->active(c);
  if (ASHLAR_UNLIKELY(pg->fresh == pg->fresh_end)) {
    return allocate_in_class(c);
  }
  return pg->take_fresh();
}

ASHLAR_NOINLINE void* allocate_from_table(std::size_t size) noexcept {
  return allocate_fresh(current_heap->class_of(size));
}

static ASHLAR_NOINLINE void* allocate_above_classes(std::size_t size) noexcept {
  if (size <= large_cache::most_bytes) {
    if (page* const kept = current_heap->large().take(large_units(size))) {
      return hand_out_large(kept);
    }
  }
  return allocate_run(size, granule, nullptr);
}

ASHLAR_NOINLINE ASHLAR_LINE_ALIGNED void* allocate_medium(std::size_t size) noexcept {
  if (ASHLAR_UNLIKELY(size > small_limit)) {
    return allocate_above_classes(size);
  }
  unsigned const c = medium_class(size);
  page* const pg = current_heap->active(c);
  block* const b = pg->free;
  if (ASHLAR_UNLIKELY(b == nullptr)) {
    return allocate_fresh(c);
  }
  return current_heap->pop(pg, b);
}

// A class whose size is a multiple of the alignment has aligned objects, because pages start at units. Rounding the
// size up to the alignment finds one: either the class steps by multiples of it or it has exactly that size.
void* allocate_aligned(std::size_t align, std::size_t size) noexcept {
  if (align <= granule) {
    return allocate(size);
  }
  std::size_t const rounded = ((size ? size : 1) + tail_bytes + align - 1) & ~(align - 1);
  if (rounded < size) {
    return no_memory();
  }
  if (align <= unit_bytes && rounded <= small_limit) {
    void* const p = allocate_plain(rounded);
    return hardened ? armed(p, size ? size : 1) : p;
  }
  return allocate_run(size, align, nullptr);
}

void* allocate_zeroed(std::size_t count, std::size_t size) noexcept {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    return no_memory();
  }
  if (bytes <= small_limit) {
    void* const p = allocate(bytes);
    return p != nullptr ? std::memset(p, 0, bytes) : nullptr;
  }
  bool zeroed = false;
  void* const p = allocate_run(bytes, granule, &zeroed);
  return zeroed || p == nullptr ? p : std::memset(p, 0, bytes);
}

ASHLAR_NOINLINE void look_after_free(page* pg) noexcept { current_heap->look_after_free(pg); }

// All that free meets rarely.
static ASHLAR_NOINLINE void free_odd(void* p) noexcept {
  if (p == nullptr) {
    return;
  }
  page* const pg = page_of_object(p, "free(): not the start of an object:", "free(): double free of");
  if (pg == nullptr) {
    foreign_handlers const* const f = get_foreign_handlers();
    if (f == nullptr) {
      fatal("free(): not allocated here:", p);
    }
    f->free(p);
    return;
  }
  if (pg->kind.load(mo::relaxed) == page_kind::large) {
    heap* const mine = current_heap;
    free_large(mine == &no_heap ? nullptr : &mine->large(), pg, p);
    return;
  }
  heap_use const use;
  heap* const h = use.get();
  if (h == nullptr) {
    return;  // without memory for a heap the object stays where it is
  }
  if (pg->owning_heap() == h) {
    h->free_own(pg, p);  // its entry in the near table belongs to another page, or it was freed just before
  } else {
    h->free_to_slot(pg, p);
  }
}

void free_with_care(void* p) noexcept { free_odd(p); }

// Another thread's object and those of a marked page take the straight way, and do so without a stack frame.
ASHLAR_NOINLINE ASHLAR_LINE_ALIGNED void free_slow(void* p) noexcept {
  page* const pg = map.near(p);
  if (ASHLAR_UNLIKELY(!pg->is_block(p))) {
    heap* const mine = current_heap;
    if (pg->kind.load(mo::relaxed) == page_kind::large && pg->begin() == p && mine != &no_heap) {
      return free_large(&mine->large(), pg, p);
    }
    return free_odd(p);  // two live units are 4 GB apart, at best
  }
  current_heap->free_remote(pg, p);
}

std::size_t usable_size(void const* p) noexcept {
  page* const pg = p != nullptr ? map.find(p) : nullptr;
  if (pg == nullptr) {
    return 0;
  }
  switch (pg->kind.load(mo::relaxed)) {
    case page_kind::small:
      return pg->is_block(p) ? object_size(pg, p) : 0;
    case page_kind::large:
      return p == pg->begin() ? pg->bytes() - guard_bytes : 0;
    default:
      return 0;
  }
}

void* reallocate(void* p, std::size_t size, std::size_t align) noexcept {
  page* const pg = page_of_object(p, "realloc(): not the start of an object:", "realloc(): freed memory at");
  if (pg == nullptr) {
    foreign_handlers const* const f = get_foreign_handlers();
    if (f == nullptr) {
      fatal("realloc(): not allocated here:", p);
    }
    return f->realloc(p, size);
  }
  bool const large = pg->kind.load(mo::relaxed) == page_kind::large;
  std::size_t const old = large ? pg->bytes() - guard_bytes : object_size(pg, p);
  bool const aligned = (reinterpret_cast<std::uintptr_t>(p) & (align - 1)) == 0;
  if (aligned && size <= old && size >= old / 2) {
    return hardened ? armed(p, size) : p;
  }
  if (!hardened && large && aligned && size > small_limit && align <= unit_bytes) {
    if (void* const moved = resize_large(pg, size)) {
      return moved;
    }
  }
  void* const fresh = allocate_aligned(align, size);
  if (fresh == nullptr) {
    // A smaller object is a success even without memory.
    return aligned && size <= old ? p : nullptr;
  }
  std::memcpy(fresh, p, size < old ? size : old);
  deallocate(p);
  return fresh;
}

}  // namespace ashlar::inline v1::alloc
