// SPDX-License-Identifier: Apache-2.0
// What the hardened build does in the place of the fast paths: it checks the object that malloc hands out and the one
// that free takes, hands out a page's objects in random order, and reuses freed ones in an order that can't be
// foretold. What was freed waits in a quarantine first, filled with a pattern that nobody may write to; and each object
// of a page has a tail that shows whether somebody wrote behind it. The ordinary build calls none of it.
#include "alloc/api.h"
#include "os/process.h"

#include <array>
#include <cstring>

namespace ashlar::inline v1::alloc {

constinit secrets secret{};

namespace {

constexpr std::size_t shuffled = 64;            // fresh objects that become a list at a time
constexpr std::size_t most_quarantined = 2048;  // larger objects would be too much memory
constexpr std::size_t filled = 128;             // as many bytes of an object in quarantine have the pattern
constexpr unsigned char pattern = 0xdf;         // no address and no small number, should the program read it
constexpr std::size_t most_padding = 16;        // bytes between an object's end and its tail that are looked at

constexpr auto patterns = [] {
  std::array<unsigned char, filled> t{};
  for (unsigned char& b : t) {
    b = pattern;
  }
  return t;
}();

struct extent {
  unsigned char* at;
  std::size_t bytes;

  void fill() const noexcept { std::memset(at, pattern, bytes); }
  bool whole() const noexcept { return std::memcmp(at, patterns.data(), bytes) == 0; }
};

// Of a free object, between its two words and its tail.
extent body_of(page const* pg, block* b) noexcept {
  std::size_t const size = pg->block_size.load(mo::relaxed) - tail_bytes;
  std::size_t const end = size < filled ? size : filled;
  return {reinterpret_cast<unsigned char*>(b) + sizeof(block), end > sizeof(block) ? end - sizeof(block) : 0};
}

std::size_t room_of(page const* pg) noexcept { return pg->block_size.load(mo::relaxed) - tail_bytes; }

std::uintptr_t* tail_of(page const* pg, void const* p) noexcept {
  return reinterpret_cast<std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(p) + room_of(pg));
}

std::uintptr_t tail_mask(void const* p) noexcept {
  return (reinterpret_cast<std::uintptr_t>(p) ^ secret.link) * 0x9e3779b97f4a7c15u;
}

extent padding_of(page const* pg, void const* p, std::size_t size) noexcept {
  std::size_t const slack = room_of(pg) - size;
  return {reinterpret_cast<unsigned char*>(reinterpret_cast<std::uintptr_t>(p) + size),
          slack < most_padding ? slack : most_padding};
}

std::uint64_t random_word() noexcept {
  std::uint64_t word = 0;
  if (!os::random_bytes(&word, sizeof word)) {
    word = reinterpret_cast<std::uintptr_t>(&word) * 0x9e3779b97f4a7c15u ^ coarse_ms();  // of the stack's random place
  }
  return word ? word : 1;
}

}  // namespace

void make_secrets() noexcept {
  if (hardened && !secret.link) {
    secret = {random_word(), random_word()};
  }
}

std::uint64_t heap::next_random() noexcept {
  if (!random_) {
    random_ = random_word();
  }
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

// The first object of the page's list. A list that is damaged shows when its objects leave it.
void* heap::pop_checked(page* pg, block* b) noexcept {
  block* const next = b->next();
  if (!b->unharmed(pg) || (next && !pg->is_block(next))) {
    fatal("malloc(): memory was written after it was freed:", b);
  }
  b->forget_signature();
  pg->free = next;
  return b;
}

void heap::free_checked(page* pg, void* p) noexcept {
  block* const b = static_cast<block*>(p);
  char const* const at = static_cast<char const*>(p);
  if (b->signed_free(pg) || in_hole(pg, p)) {
    report_double_free(p);
  }
  if (at >= pg->fresh && at < pg->fresh_end) {
    fatal("free(): never allocated:", p);
  }
  check_tail(pg, p);
  b->sign(pg);
  put_into_quarantine(pg, b);
}

// An object in quarantine counts as live (I2 in heap.h).
void heap::put_into_quarantine(page* pg, block* b) noexcept {
  if (pg->block_size.load(mo::relaxed) > most_quarantined) {
    return list(pg, b);
  }
  if (central.above_limit(0)) {
    end_quarantine();  // pages are given back that it holds
    return list(pg, b);
  }
  b->set_next(nullptr);
  body_of(pg, b).fill();
  block*& place = quarantine_[quarantine_at_++ % quarantined];
  block* const longest = place;
  place = b;
  if (longest != nullptr) {
    list(inspect(longest), longest);
  }
}

page* heap::inspect(block* b) noexcept {
  page* const pg = map.find(b);
  if (!b->unharmed(pg) || b->next() || !body_of(pg, b).whole()) {
    fatal("free(): memory was written after it was freed:", b);
  }
  return pg;
}

// From time to time, so that nobody has to free more before damage is found.
void heap::inspect_quarantine() const noexcept {
  for (block* const b : quarantine_) {
    if (b != nullptr) {
      inspect(b);
    }
  }
}

void heap::list(page* pg, block* b) noexcept {
  block*& list = next_random() & 1 ? pg->free : pg->reserve;
  b->set_next(list);
  b->sign(pg);
  list = b;
  if (--pg->needed == 0) {
    look_at(pg);
  }
}

void heap::end_quarantine() noexcept {
  for (block*& place : quarantine_) {
    if (block* const b = place) {
      place = nullptr;
      list(inspect(b), b);
    }
  }
}

void* armed(void* p, std::size_t size) noexcept {
  page* const pg = p != nullptr ? map.find(p) : nullptr;
  if (pg != nullptr && pg->kind.load(mo::relaxed) == page_kind::small) {
    *tail_of(pg, p) = tail_mask(p) ^ size;
    padding_of(pg, p, size).fill();
  }
  return p;
}

std::size_t armed_size(page const* pg, void const* p) noexcept {
  std::size_t const size = *tail_of(pg, p) ^ tail_mask(p);
  if (size > room_of(pg) || !padding_of(pg, p, size).whole()) {
    fatal("free(): memory was written behind the object at", p);
  }
  return size;
}

void heap::check_tail(page const* pg, void const* p) noexcept { (void)armed_size(pg, p); }

void* allocate_armed(std::size_t size) noexcept {
  if (size > small_limit - tail_bytes) {
    return allocate_medium(size > small_limit ? size : small_limit + 1);
  }
  return armed(allocate_plain(size + tail_bytes), size ? size : 1);
}

void heap::list_fresh(page* pg) noexcept {
  block* objects[shuffled];
  std::size_t n = 0;
  while (n < shuffled && pg->fresh != pg->fresh_end) {
    objects[n++] = reinterpret_cast<block*>(pg->take_fresh());
  }
  for (; n; --n) {
    std::size_t const k = (next_random() >> 16) % n;
    block* const b = objects[k];
    objects[k] = objects[n - 1];
    b->set_next(pg->free);
    b->sign(pg);
    pg->free = b;
  }
}

// A chain that another thread sent.
void heap::check_chain(page const* pg, block* first, std::uint32_t count) noexcept {
  for (block* b = first; count; b = b->next(), --count) {
    if (b == nullptr || !pg->is_block(b) || !b->unharmed(pg)) {
      fatal("free(): memory was written after it was freed, near", first);
    }
    if (count == 1 && b->next()) {
      fatal("free(): memory was written after it was freed:", b);
    }
  }
}

}  // namespace ashlar::inline v1::alloc
