// SPDX-License-Identifier: Apache-2.0
// The inside of a memory pool: blocks with a header of 16 bytes that fill the regions without gaps, free ones in
// bins by size, neighbours joined at once. Not thread-safe: the pool's lock protects it.
//
// A region ends with a block of size 0 that is never free, and its first block has no predecessor but a mark, which is
// odd, in the place of its size. Pools hold what the user likes, so density and exact reuse count more here than speed;
// yet every operation takes constant time, because the search in the one bin whose blocks may be too small is bounded.
#pragma once

#include "alloc/os_memory.h"

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

class pool_blocks {
 public:
  static constexpr std::size_t grain = 16;
  static constexpr std::size_t header = 16;
  // What a region needs beyond the object that fills it.
  static constexpr std::size_t region_overhead = 2 * header + 2 * grain;

  void clear() noexcept { *this = pool_blocks{}; }

  // Adds [at, at + bytes) as one free block; false if it is too small. free() tells the even `mark` when the region has
  // no object any more.
  bool add_region(void* at, std::size_t bytes, std::uintptr_t mark) noexcept {
    std::uintptr_t const begin = (reinterpret_cast<std::uintptr_t>(at) + grain - 1) & ~(grain - 1);
    std::uintptr_t const end = (reinterpret_cast<std::uintptr_t>(at) + bytes) & ~(grain - 1);
    if (end < begin + header + least + header) {
      return false;
    }
    block_header* const b = reinterpret_cast<block_header*>(begin);
    b->previous = mark | first_bit;
    b->state = end - begin - 2 * header;
    block_header* const last = after(b);
    last->previous = size_of(b);
    last->state = used_bit;
    insert(b);
    return true;
  }

  // Takes out the single free block of a region, which free() has just told about.
  void remove_region(void* at) noexcept { remove(first_of(at)); }

  void* allocate(std::size_t size, std::size_t align) noexcept {
    if (size > most) {
      return nullptr;
    }
    size = round(size);
    std::size_t const slack = align > grain ? align + header + least : 0;
    block_header* b = find(size + slack);
    if (!b) {
      return nullptr;
    }
    remove(b);
    b->state |= used();
    std::uintptr_t const p = reinterpret_cast<std::uintptr_t>(object(b));
    if (std::size_t front = static_cast<std::size_t>(-p & (align - 1))) {
      if (front < header + least) {
        front += align;  // the part before the object becomes a block of its own
      }
      block_header* const aligned = split(b, front - header);
      release(b);
      b = aligned;
    }
    trim(b, size);
    return object(b);
  }

  // The mark of the object's region if that is wholly free now, else 0.
  std::uintptr_t free(void* p) noexcept {
    block_header* b = header_of(p);
    check(b, p);
    b = release(b);
    return (b->previous & first_bit) && !size_of(after(b)) ? b->previous & ~first_bit : 0;
  }

  // True: the object now has at least `size` bytes where it is.
  bool resize(void* p, std::size_t size) noexcept {
    if (size > most) {
      return false;
    }
    block_header* const b = header_of(p);
    check(b, p);
    size = round(size);
    block_header* const next = after(b);
    if (size > size_of(b) && !(next->state & used_bit) && size_of(b) + header + size_of(next) >= size) {
      remove(next);
      b->state += header + size_of(next);
      after(b)->previous = size_of(b);
    }
    if (size > size_of(b)) {
      return false;
    }
    trim(b, size);
    return true;
  }

  std::size_t usable(void* p) const noexcept {
    check(header_of(p), p);
    return size_of(header_of(p));
  }

 private:
  struct block_header {
    std::size_t previous;  // size of the block before; at the start of a region, its mark | first_bit
    std::size_t state;     // size of the object | used(), or the size of what is free
  };
  struct free_block : block_header {
    free_block* next;
    free_block** link;
  };

  static constexpr std::size_t used_bit = 1;
  static constexpr std::size_t first_bit = 1;
  static constexpr std::size_t least = 16;
  static constexpr std::size_t most = std::size_t{1} << 46;
  static constexpr unsigned size_bits = 48;
  static constexpr std::size_t size_mask = ((std::size_t{1} << size_bits) - 1) & ~used_bit;
  // One for each size below 512 bytes, then eight per doubling, the last one open.
  static constexpr unsigned exact_bins = 32;
  static constexpr unsigned bin_count = 256;
  static constexpr unsigned most_looks = 16;

  static std::size_t size_of(block_header const* b) noexcept { return b->state & size_mask; }
  // What the state of a used block has beside its size. The seal tells this pool's objects from those of others.
  std::size_t used() const noexcept {
    std::uintptr_t const seal = reinterpret_cast<std::uintptr_t>(this) * 0x9e3779b97f4a7c15u;
    return (seal & ~((std::size_t{1} << size_bits) - 1)) | used_bit;
  }
  static void* object(block_header* b) noexcept { return b + 1; }
  static block_header* header_of(void* p) noexcept { return static_cast<block_header*>(p) - 1; }
  static block_header* after(block_header* b) noexcept {
    return reinterpret_cast<block_header*>(reinterpret_cast<char*>(b) + header + size_of(b));
  }
  static block_header* first_of(void* at) noexcept {
    return reinterpret_cast<block_header*>((reinterpret_cast<std::uintptr_t>(at) + grain - 1) & ~(grain - 1));
  }
  static std::size_t round(std::size_t size) noexcept {
    return size <= least ? least : (size + grain - 1) & ~(grain - 1);
  }
  void check(block_header const* b, void const* p) const noexcept {
    if ((b->state & ~size_mask) != used() || reinterpret_cast<std::uintptr_t>(p) % grain) {
      fatal("pool_free(): not an object of this pool, or freed twice:", p);
    }
  }

  static unsigned bin_of(std::size_t size) noexcept {
    std::size_t const n = size / grain;
    if (n < exact_bins) {
      return static_cast<unsigned>(n);
    }
    unsigned const log = 63u - static_cast<unsigned>(__builtin_clzll(n));
    unsigned const b = exact_bins + (log - 5) * 8 + static_cast<unsigned>((n >> (log - 3)) & 7);
    return b < bin_count ? b : bin_count - 1;
  }

  void insert(block_header* h) noexcept {
    free_block* const b = static_cast<free_block*>(h);
    unsigned const i = bin_of(size_of(b));
    b->next = bins_[i];
    b->link = &bins_[i];
    if (b->next != nullptr) {
      b->next->link = &b->next;
    }
    bins_[i] = b;
    filled_[i / 64] |= std::uint64_t{1} << i % 64;
  }
  void remove(block_header* h) noexcept {
    free_block* const b = static_cast<free_block*>(h);
    *b->link = b->next;
    if (b->next != nullptr) {
      b->next->link = b->link;
    }
    unsigned const i = bin_of(size_of(b));
    if (!bins_[i]) {
      filled_[i / 64] &= ~(std::uint64_t{1} << i % 64);
    }
  }
  // A block that is large enough: of the request's own bin only the newest ones are tried, any of a larger bin does.
  block_header* find(std::size_t size) const noexcept {
    unsigned const own = bin_of(size);
    unsigned looks = most_looks;
    for (free_block* b = bins_[own]; b && looks--; b = b->next) {
      if (size_of(b) >= size) {
        return b;
      }
    }
    unsigned const larger = next_filled(own + 1);
    return larger < bin_count ? bins_[larger] : nullptr;
  }
  unsigned next_filled(unsigned from) const noexcept {
    for (unsigned word = from / 64; word < bin_count / 64; ++word) {
      std::uint64_t const bits = word == from / 64 ? filled_[word] & ~std::uint64_t{0} << from % 64 : filled_[word];
      if (bits) {
        return word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
      }
    }
    return bin_count;
  }

  // Cuts a used block after `size` bytes of its object; both parts are used.
  block_header* split(block_header* b, std::size_t size) noexcept {
    std::size_t const rest = size_of(b) - size - header;
    b->state = size | used();
    block_header* const second = after(b);
    second->previous = size;
    second->state = rest | used();
    after(second)->previous = rest;
    return second;
  }
  void trim(block_header* b, std::size_t size) noexcept {
    if (size_of(b) >= size + header + least) {
      release(split(b, size));
    }
  }
  // Frees a used block and joins it with its neighbours; the block that comes of it.
  block_header* release(block_header* b) noexcept {
    b->state = size_of(b);
    block_header* const next = after(b);
    if (!(next->state & used_bit)) {
      remove(next);
      b->state += header + size_of(next);
    }
    if (!(b->previous & first_bit)) {
      block_header* const before = reinterpret_cast<block_header*>(reinterpret_cast<char*>(b) - header - b->previous);
      if (!(before->state & used_bit)) {
        remove(before);
        before->state += header + size_of(b);
        b = before;
      }
    }
    after(b)->previous = size_of(b);
    insert(b);
    return b;
  }

  free_block* bins_[bin_count] = {};
  std::uint64_t filled_[bin_count / 64] = {};
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
