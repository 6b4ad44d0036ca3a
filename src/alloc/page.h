// SPDX-License-Identifier: Apache-2.0
// A page is a run of 16 KB units that holds objects of one size, or one large object, or nothing. Its descriptor
// lies apart from it, so objects have no headers and an overflowing write can't reach the allocator's own data.
// Descriptors are never unmapped: a thread that looks up a foreign or stale pointer may read any of them.
//
// Threads: `owner`, `start`, `factor`, `bound`, `kind`, `block_size` and `sending_cost` may be read by every thread
// that frees an object of the page; all else belongs to the owning heap's thread, and in free runs to the backend's
// lock.
//
// Invariant of a page that is not active: live objects = needed + slack, and at needed == 0 the owner has to look.
#pragma once

#include "alloc/block.h"
#include "alloc/racy_word.h"

#include <ashlar/base/atomic.h>

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

class heap;

enum class page_kind : std::uint8_t { none, free_run, cached, small, large };
enum class page_place : std::uint8_t { active, full, partial };

struct alignas(128) page {
  // First line: what malloc and free touch.
  racy_word<heap*> owner;  // marked while frees of the page come in order, and when it has holes
  racy_word<std::uintptr_t> start;
  racy_word<std::uint64_t> factor;
  racy_word<std::uint64_t> bound;
  block* free = nullptr;                 // objects that malloc hands out
  std::int32_t needed = 0;               // frees until the owner has to look at the page
  atomic<std::int32_t> sending_cost{0};  // what an object under way takes of a thread's room for such
  block* reserve = nullptr;              // a second list, taken over when `free` is empty
  atomic<std::uint32_t> block_size{0};
  atomic<page_kind> kind{page_kind::none};
  page_place place = page_place::active;
  std::uint8_t size_class = 0;
  bool counted_empty : 1 = false;  // pages of heaps: see heap::recount
  bool zeroed : 1 = false;         // runs: the memory has not been written since the system gave it
  bool has_signed : 1 = false;     // the memory has been in lists since the system gave it: signatures may be left
  bool stale : 1 = false;          // pages of heaps: fresh objects may bear the page's signature

  // Second line: the slow paths.
  page* next = nullptr;  // in a list of the heap or a bin of the backend
  page* prev = nullptr;
  union {
    char* fresh = nullptr;         // objects from here up to fresh_end are free without being in a list
    atomic<std::uint32_t>* alive;  // large objects: counts them, if not null (rare_classes.h)
  };
  char* fresh_end = nullptr;
  std::uint64_t holes = 0;  // parts of the page whose memory was given back: see holes.cpp
  std::uint32_t units = 0;
  union {
    std::uint32_t capacity = 0;  // pages of heaps: objects
    std::uint32_t dirty;         // free runs: units that may hold memory, an upper bound
  };
  std::int32_t slack = 0;      // objects that will still be live when `needed` is 0
  std::uint32_t step = 0;      // by how much `bound` grows with a fresh object: 0 once all have been handed out
  std::size_t idle_bytes = 0;  // what heap::idle_bytes_ counts for this page

  // Is p the start of one of this page's objects? One multiplication decides it exactly. With
  // factor * size = 2^64 + e and 0 < e <= size, an offset n = q * size has n * factor = q * e modulo 2^64, which is
  // less than capacity * e = bound exactly for the valid q. Any other n of less than 2^47 in magnitude is either no
  // multiple of size, and the product's fraction is at least 2^64/size - 2^47 away, or a multiple outside of the
  // page, whose product is at least bound. Sizes up to 2^17 keep the two cases apart. Until a page has handed out all
  // its objects once, bound = handed out * e: what was never handed out is no object. A page that holds none has
  // bound 0 and accepts nothing.
  ASHLAR_ALWAYS_INLINE bool is_block(void const* p) const noexcept {
    std::uint64_t const n = reinterpret_cast<std::uintptr_t>(p) - start.get();
    return n * factor.get() < bound.get();
  }
  // Does p lie among the objects that are free without being in a list?
  bool is_fresh(void const* p) const noexcept { return p >= fresh && p < fresh_end; }
  ASHLAR_ALWAYS_INLINE char* take_fresh() noexcept {
    char* const p = fresh;
    fresh = p + block_size.load(mo::relaxed);
    bound.add(step);
    // Other fresh memory is not written to: the program may never touch it.
    if (stale) {
      reinterpret_cast<block*>(p)->forget_signature();
    }
    return p;
  }
  // The marks are addresses that no thread's heap has, so that the fast path of free doesn't take the page: one for
  // pages that are freed in order, one for pages with holes.
  static heap* marked(heap* h) noexcept { return reinterpret_cast<heap*>(reinterpret_cast<std::uintptr_t>(h) + 1); }
  static heap* holed(heap* h) noexcept { return reinterpret_cast<heap*>(reinterpret_cast<std::uintptr_t>(h) + 2); }
  heap* owning_heap() const noexcept {
    return reinterpret_cast<heap*>(reinterpret_cast<std::uintptr_t>(owner.get()) & ~std::uintptr_t{3});
  }
  // Where an object lies, for messages: 0 stands for none.
  std::uint32_t place_of(block const* b) const noexcept {
    auto const offset = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(b) - start.get());
    return b != nullptr ? offset / 16 + 1 : 0;
  }
  block* at_place(std::uint32_t place) const noexcept {
    return place ? reinterpret_cast<block*>(begin() + std::size_t{place - 1} * 16) : nullptr;
  }
  char* begin() const noexcept { return reinterpret_cast<char*>(start.get()); }
  std::size_t bytes() const noexcept { return std::size_t{units} * 16384; }
};
static_assert(sizeof(page) == 128);

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
