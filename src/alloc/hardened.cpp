// SPDX-License-Identifier: Apache-2.0
// What the hardened build does in the place of the fast paths: it checks the object that malloc hands out and the one
// that free takes, hands out a page's objects in random order, and reuses freed ones in an order that can't be
// foretold. The ordinary build calls none of it.
#include "alloc/api.h"

#include <sys/random.h>

namespace ashlar {
inline namespace v1 {
namespace alloc {

constinit secrets secret{};

namespace {

constexpr std::size_t shuffled = 64;  // fresh objects that become a list at a time

std::uint64_t random_word() noexcept {
  std::uint64_t word = 0;
  if (getrandom(&word, sizeof word, 0) != sizeof word) {
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
  block*& list = next_random() & 1 ? pg->free : pg->reserve;
  b->set_next(list);
  b->sign(pg);
  list = b;
  if (--pg->needed == 0) {
    look_at(pg);
  }
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
    if (!b || !pg->is_block(b) || !b->unharmed(pg)) {
      fatal("free(): memory was written after it was freed, near", first);
    }
    if (count == 1 && b->next()) {
      fatal("free(): memory was written after it was freed:", b);
    }
  }
}

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
