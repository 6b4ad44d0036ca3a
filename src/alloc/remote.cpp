// SPDX-License-Identifier: Apache-2.0
// A heap's mail: what its thread frees of other heaps' objects, and what others send back. README.md, Remote frees.
#include "alloc/api.h"
#include "alloc/heap_registry.h"

namespace ashlar::inline v1::alloc {

namespace {

// Are the page's objects long enough? In the hardened build their bytes are nobody's.
bool has_long_messages(page const* pg) noexcept {
  return !hardened && pg->block_size.load(mo::relaxed) >= sizeof(long_message);
}

}  // namespace

// Makes a message of the slot's chain and puts it into the box of its owner.
void heap::dispatch(outgoing& o) noexcept {
  if (!o.head) {
    return;
  }
  heap* const owner = o.pg->owning_heap();
  message* const m = reinterpret_cast<message*>(o.head);
  std::uint32_t const place = o.pg->place_of(o.head->next());
  outbox& box = box_of(owner);
  if (box.owner != owner) {
    send(box);
    box.owner = owner;
  }
  m->set(o.count, place, box.first);
  if (box.first == nullptr) {
    box.last = m;
  }
  message* const later = box.push(m);
  if (has_long_messages(o.pg)) {
    static_cast<long_message*>(m)->set_more(later, o.pg->place_of(o.last));
  }
  o.pg = nullptr;
  o.head = nullptr;
  o.count = 0;
}

void heap::send(outbox& box) noexcept {
  if (box.first == nullptr) {
    return;
  }
  heap* const owner = box.owner;
  message* const first = box.first;
  message* const last = box.last;
  box = outbox{};
  // Not every time: the memory of a few lists can wait.
  if (owner->inbox_.post(first, last) && ++sent_to_idle_ % 8 == 0) {
    tend_idle_heap(owner);
  }
}

void heap::miss_slot(page* pg, void* p) noexcept {
  if (pg->owner.get() == page::marked(this)) {
    return free_in_order(pg, p);
  }
  if (pg->owner.get() == page::holed(this)) {
    return free_beside_holes(pg, p);
  }
  if (this == &no_heap || pg->owner.get() == this) {
    return free_with_care(p);
  }
  free_to_slot(pg, p);
}

void heap::free_to_slot(page* pg, void* p) noexcept {
  outgoing& o = slot_of(pg);
  if (o.pg != pg) {
    dispatch(o);
    o.pg = pg;
    o.last = static_cast<block*>(p);
    used_slots_ |= std::uint64_t{1} << (&o - out_);
  }
  free_remote(pg, p);
}

// Too much is under way. What makes up most of it is sent by itself; else all but this chain, which may still grow.
void heap::make_room(outgoing& o) noexcept {
  std::int32_t const cost = o.cost();
  if (cost < send_bytes / 2) {
    return flush_all_but(&o);
  }
  heap* const owner = o.pg->owning_heap();
  dispatch(o);
  send(box_of(owner));
  room_ += cost;
  if (room_ < 0) {
    flush();
  }
}

void heap::flush_all_but(outgoing* kept) noexcept {
  room_ = send_bytes;
  std::uint64_t left = used_slots_;
  used_slots_ = 0;
  if (kept != nullptr) {
    room_ -= kept->cost();
    used_slots_ = std::uint64_t{1} << (kept - out_);
    left &= ~used_slots_;
  }
  for (; left; left &= left - 1) {
    dispatch(out_[__builtin_ctzll(left)]);
  }
  for (outbox& b : boxes_) {
    send(b);
  }
}

void heap::forget_outgoing() noexcept {
  for (outgoing& o : out_) {
    o = outgoing{};
  }
  for (outbox& b : boxes_) {
    b = outbox{};
  }
  room_ = send_bytes;
}

void heap::append_pending(message* list) noexcept {
  if (list == nullptr) {
    return;
  }
  if (pending_) {
    message* last = list;
    message* seen = list;  // of a list that leads back into itself, because an object is in it twice
    for (unsigned steps = 1; last->next(); ++steps) {
      last = last->next();
      if (last == seen || !last->count()) {
        report_double_free(last);
      }
      if (!(steps & (steps - 1))) {
        seen = last;
      }
    }
    last->set_next(pending_);
  }
  pending_ = list;
}

// The chain that came as the message m, whose head has its link again.
block* heap::last_of(page const* pg, message const* m) noexcept {
  if (has_long_messages(pg)) {
    block* const last = pg->at_place(static_cast<long_message const*>(m)->last_place());
    if (ASHLAR_UNLIKELY(!pg->is_block(last))) {
      fatal("free(): memory was written after it was freed, near", m);
    }
    return last;
  }
  block* last = reinterpret_cast<block*>(const_cast<message*>(m));
  while (last->next()) {
    last = last->next();
  }
  return last;
}

// Gives the message's chain to its page. Most often one of the page's lists is empty, and then no object is touched.
void heap::splice(page* pg, message* m) noexcept {
  block* const chain = reinterpret_cast<block*>(m);
  if (!pg->free) {
    pg->free = chain;
  } else if (!pg->reserve) {
    pg->reserve = chain;
  } else {
    last_of(pg, m)->set_next(pg->reserve);
    pg->reserve = chain;
  }
}

void heap::accept(page* pg, message* m) noexcept {
  std::int32_t n = static_cast<std::int32_t>(m->count());
  // An object that two threads freed at the same time, or that was accepted before, is a message of no objects.
  block* const first = reinterpret_cast<block*>(m);
  if (ASHLAR_UNLIKELY(!n)) {
    report_double_free(m);
  }
  first->set_next(pg->at_place(m->place()));
  if constexpr (hardened) {
    m->word &= ~std::uintptr_t{0} >> 16;
    check_chain(pg, first, static_cast<std::uint32_t>(n));
    if (pg->place == page_place::active) {
      pace_.hand_out(static_cast<std::uint32_t>(n));
    }
    for (block* b = first; b;) {
      block* const next = b->next();
      put_into_quarantine(pg, b);
      b = next;
    }
    return;
  } else {
    first->sign(pg);
    if (ASHLAR_UNLIKELY(pg->fresh != pg->fresh_end || pg->holes)) {
      check_mail(pg, first);
    }
    // Objects in the lists are told by their signatures, which frees in order don't look at.
    if (pg->owner.get() == page::marked(this)) {
      sign_fresh(pg);
      pg->owner.set(this);
    }
  }
  splice(pg, m);
  if (pg->place == page_place::active) {
    pace_.hand_out(static_cast<std::uint32_t>(n));
    pg->needed = n < pg->needed ? pg->needed - n : 0;
    if (!pg->needed) {
      look_at(pg);
    }
    return;
  }
  while (n >= pg->needed) {
    n -= pg->needed;
    pg->needed = 0;
    look_at(pg);
    if (!n) {
      return;  // the page may be gone
    }
    if (pg->owning_heap() != this) {
      fatal("free(): double free near", m);
    }
  }
  pg->needed -= n;
}

unsigned heap::receive(unsigned most) noexcept {
  page* pg = map.find_or_none(pending_);
  unsigned seen = 0;
  for (; seen != most; ++seen) {
    if (pending_ == nullptr) {
      pending_ = inbox_.take_all();
      if (pending_ == nullptr) {
        break;
      }
      pg = map.find_or_none(pending_);
    }
    message* const m = pending_;
    if (pg->owning_heap() != this || !pg->is_block(m)) {
      fatal("free(): double free, or memory was written after it was freed, near", m);
    }
    pending_ = m->next();
    page* const next = map.find_or_none(pending_);
    // Other threads wrote to all three lines a moment ago: they come while this message is seen to.
    __builtin_prefetch(pending_, 1);
    if (has_long_messages(pg)) {
      __builtin_prefetch(static_cast<long_message const*>(m)->ahead(), 1);
    }
    __builtin_prefetch(next, 1);
    __builtin_prefetch(reinterpret_cast<char const*>(next) + sizeof(page) / 2, 1);
    accept(pg, m);
    pg = next;
  }
  return seen;
}

}  // namespace ashlar::inline v1::alloc
