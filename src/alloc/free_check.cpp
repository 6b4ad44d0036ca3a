// SPDX-License-Identifier: Apache-2.0
// Is an object free already? Its signature says so at no cost; before the process ends for it, the object is looked for
// wherever free ones are: in its page's lists and bounds, in the mail of the page's heap, and in what threads have not
// sent yet. Other threads may change all that meanwhile, so what is read is checked before it is followed, and an
// object that is not found counts as live: a right program is never ended.
#include "alloc/api.h"
#include "alloc/heap_registry.h"

namespace ashlar::inline v1::alloc {

namespace {

// Is p in the chain? Other threads may be at work on it.
bool in_chain(page const* pg, block const* chain, void const* p) noexcept {
  for (std::uint32_t left = pg->capacity; left && chain != nullptr && pg->is_block(chain); --left) {
    if (chain == p) {
      return true;
    }
    chain = chain->next();
  }
  return false;
}

// Is p among the objects that came back in order? The owner may be moving the bounds: between the two readings of the
// first one they are consistent, and no live object is within.
bool in_order(page const volatile* pg, void const* p) noexcept {
  char const* const from = pg->fresh;
  char const* const to = pg->fresh_end;
  return !pg->step && p >= from && p < to && from == pg->fresh;
}

bool in_messages(page const* pg, message const* m, void const* p) noexcept {
  for (unsigned left = 1u << 16; left && m != nullptr; --left) {
    page* const its = map.find(m);
    if (its == nullptr || !its->is_block(m)) {
      return false;
    }
    if (its == pg && (m == p || in_chain(pg, pg->at_place(m->place()), p))) {
      return true;
    }
    m = m->next();
  }
  return false;
}

}  // namespace

// What this heap's thread has freed and not sent.
bool heap::is_under_way(page const* pg, void const* p) const noexcept {
  for (outgoing const& o : out_) {
    if (o.pg == pg && in_chain(pg, o.head, p)) {
      return true;
    }
  }
  for (outbox const& b : boxes_) {
    if (in_messages(pg, b.first, p)) {
      return true;
    }
  }
  return false;
}

bool heap::has_in_mail(page const* pg, void const* p) const noexcept {
  return in_messages(pg, pending_, p) || in_messages(pg, inbox_.peek(), p);
}

bool heap::is_free(page* pg, void* p) noexcept {
  block* const b = static_cast<block*>(p);
  heap const* const owner = pg->owning_heap();
  if (owner == current_heap && (in_hole(pg, p) || (!pg->step && pg->is_fresh(p)))) {
    return true;
  }
  if (!b->signed_free(pg)) {
    return false;
  }
  if constexpr (hardened) {
    return true;  // no program has the secret, and what it copies from elsewhere does not fit the address
  }
  struct search {
    page const* pg;
    void const* p;
    bool found;
  } s{pg, p, false};
  s.found = in_order(pg, p) || in_chain(pg, pg->free, p) || in_chain(pg, pg->reserve, p) ||
            (owner && owner->has_in_mail(pg, p));
  if (!s.found) {
    for_each_heap(
        [](heap const& h, void* arg) {
          search& wanted = *static_cast<search*>(arg);
          wanted.found = wanted.found || h.is_under_way(wanted.pg, wanted.p);
        },
        &s);
  }
  if (!s.found) {
    b->forget_signature();
  }
  return s.found;
}

ASHLAR_COLD void suspect(void* p) noexcept { free_with_care(p); }

// Mail for a page of which some free objects bear no signature.
void heap::check_mail(page const* pg, block* first) noexcept {
  if (pg->step) {
    return;  // what is fresh was never handed out, and free looks at that
  }
  for (block const* b = first; b != nullptr; b = b->next()) {
    if (pg->is_fresh(b) || in_hole(pg, b)) {
      report_double_free(b);
    }
  }
}

}  // namespace ashlar::inline v1::alloc
