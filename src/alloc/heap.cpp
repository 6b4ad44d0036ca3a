// SPDX-License-Identifier: Apache-2.0
// The life of pages in a heap. remote.cpp has the mail.
#include "alloc/heap.h"

#include "alloc/large.h"

#include <utility>

namespace ashlar::inline v1::alloc {

constinit page no_page;
constinit heap no_heap;
constinit atomic<std::uint32_t> clean_epoch{0};

namespace {

constexpr std::int32_t never = 0x3fffffff;
// A thread that frees and allocates without a slow call looks at its mail after so many frees to an active page.
constexpr std::int32_t poll_after = 8192;
constexpr std::int32_t recount_after = 4;  // at least so many frees to an active medium page

// What a page of the class is filled in with.
struct class_constants {
  struct shape {
    std::uint16_t units;
    std::uint16_t capacity;
  };
  std::uint64_t factor;  // and excess = bound / capacity: see page::is_block
  std::uint32_t excess;
  std::uint32_t size;
  std::int32_t sending_cost;
  shape shapes[2];  // where the class has few pages, and where it has many
};

constexpr class_constants constants_of(unsigned c) {
  auto const size = static_cast<std::uint32_t>(class_size(c));
  std::uint64_t const factor = ~std::uint64_t{0} / size + 1;
  auto const excess = static_cast<std::uint32_t>(factor * size);  // modulo 2^64; 0 for powers of two
  // Small objects are cheap to send, and what is under way is lacking elsewhere: 16 KB of them at most, of others 128.
  auto const cost = static_cast<std::int32_t>(size <= 128 ? 8 * size : size < 1024 ? 1024 : size);
  class_constants k{excess ? factor : factor + 1, excess ? excess : size, size, cost, {}};
  for (unsigned const many : {0u, 1u}) {
    // A guard costs a system page: in the hardened build pages of small objects are longer.
    std::uint32_t const wanted = page_units(c, many != 0);
    std::uint32_t const units = hardened && wanted < 4 ? 4 : wanted;
    k.shapes[many] = {static_cast<std::uint16_t>(units),
                      static_cast<std::uint16_t>((units * unit_bytes - guard_bytes) / size)};
  }
  return k;
}

constexpr auto constants = [] {
  std::array<class_constants, class_count> t{};
  for (unsigned c = 0; c < class_count; ++c) {
    t[c] = constants_of(c);
  }
  return t;
}();

}  // namespace

void heap::push_front(page_list& l, page* pg) noexcept {
  pg->prev = nullptr;
  pg->next = l.head;
  (l.head ? l.head->prev : l.tail) = pg;
  l.head = pg;
}

void heap::push_back(page_list& l, page* pg) noexcept {
  pg->next = nullptr;
  pg->prev = l.tail;
  (l.tail ? l.tail->next : l.head) = pg;
  l.tail = pg;
}

void heap::unlink(page_list& l, page* pg) noexcept {
  (pg->prev ? pg->prev->next : l.head) = pg->next;
  (pg->next ? pg->next->prev : l.tail) = pg->prev;
}

page* heap::new_page(unsigned c) noexcept {
  if constexpr (hardened) {
    inspect_quarantine();
  }
  if (!hardened && rare_classes::may_be_rare(c) && !pages_of(c) && !rare_.deserves_page(c)) {
    return nullptr;
  }
  class_constants const& its = constants[c];
  class_constants::shape const shape = its.shapes[pages_of(c) >= 4];
  page* pg = take_kept(shape.units, c);
  if (pg == nullptr) {
    pg = central.take(shape.units, 1, true);
    if (pg == nullptr) {
      return nullptr;
    }
    guard(pg, true);
  }
  pg->capacity = shape.capacity;
  pg->fresh = pg->begin();
  pg->fresh_end = pg->begin() + std::size_t{shape.capacity} * its.size;
  pg->holes = 0;
  pg->idle_bytes = 0;
  pg->free = nullptr;
  pg->reserve = nullptr;
  pg->size_class = static_cast<std::uint8_t>(c);
  pg->counted_empty = false;
  pg->stale = pg->has_signed;
  pg->block_size.store(its.size, mo::relaxed);
  pg->kind.store(page_kind::small, mo::relaxed);
  pg->sending_cost.store(its.sending_cost, mo::relaxed);
  pg->factor.set(its.factor);
  pg->owner.set(this);
  pg->bound.set(0);
  pg->step = its.excess;
  count_page(c, 1);
  return pg;
}

// Objects that came back in the order of their addresses have not been written to. Where frees are to be told from
// second frees by the object alone, they are.
void heap::sign_fresh(page* pg) noexcept {
  std::size_t const size = pg->block_size.load(mo::relaxed);
  for (char* p = pg->fresh; p != pg->fresh_end; p += size) {
    reinterpret_cast<block*>(p)->sign(pg);
  }
  pg->stale = pg->has_signed = true;
}

void heap::activate(page* pg) noexcept {
  forget_idle(pg);
  if (!pg->holes && pg->owner.get() != this) {
    sign_fresh(pg);
    pg->owner.set(this);
  }
  active_[pg->size_class] = pg;
  pg->place = page_place::active;
  pg->needed = pg->units > 4 ? recount_after : poll_after;
  pg->slack = 0;
}

// All objects of the page are live (I3). It is looked at again when an eighth of them has come back.
void heap::deactivate(page* pg) noexcept {
  if (pg->counted_empty) {
    pg->counted_empty = false;
    empty_units_ -= pg->units;
  }
  std::int32_t const live = static_cast<std::int32_t>(pg->capacity);
  pg->needed = live >= 16 ? live / 8 : 1;
  pg->slack = live - pg->needed;
  pg->place = page_place::full;
  pg->step = 0;
  pg->stale = false;
  if (!hardened) {
    pg->owner.set(page::marked(this));
  }
  active_[pg->size_class] = &no_page;
}

std::uint32_t heap::count_live(page const* pg) const noexcept {
  std::size_t const unlisted = static_cast<std::size_t>(pg->fresh_end - pg->fresh) / pg->block_size.load(mo::relaxed);
  std::uint32_t n = pg->capacity - static_cast<std::uint32_t>(unlisted) - count_holes(pg);
  for (block const* list : {pg->free, pg->reserve}) {
    for (; list != nullptr; list = list->next()) {
      --n;
    }
  }
  return n;
}

// An active page of a medium class: wholly free ones are worth finding, because nobody may ask for the size again.
// A few may stay, or the last object of a size would come and go with a page each time.
void heap::recount(page* pg) noexcept {
  if (pg->units <= 4) {
    pg->needed = poll_after;
    return;
  }
  std::uint32_t const live = count_live(pg);
  pg->needed = recount_after > static_cast<std::int32_t>(live) ? recount_after : static_cast<std::int32_t>(live);
  if (pg->counted_empty) {
    pg->needed = never;
  } else if (!live) {
    if (empty_units_ + pg->units > most_empty_units) {
      active_[pg->size_class] = &no_page;
      retire(pg);
      return;
    }
    pg->counted_empty = true;
    empty_units_ += pg->units;
    pg->needed = never;
  }
}

void heap::look_at(page* pg) noexcept {
  page_list& partial = partial_[pg->size_class];
  switch (pg->place) {
    case page_place::active:
      recount(pg);
      return;
    case page_place::full:
      pg->place = page_place::partial;
      push_front(partial, pg);
      break;
    case page_place::partial:
      unlink(partial, pg);
      if (!pg->slack) {
        forget_idle(pg);
        retire(pg);
        return;
      }
      push_back(partial, pg);  // fuller pages first
      break;
  }
  // The next look is due when half of the live objects have been freed; of the last few, every one counts.
  std::int32_t const live = pg->slack;
  pg->slack = live > 8 ? live / 2 : live - 1;
  pg->needed = live - pg->slack;
  count_idle(pg, static_cast<std::uint32_t>(live));
}

void heap::look_after_free(page* pg) noexcept {
  if (ASHLAR_UNLIKELY(has_mail() || central.may_rest())) {
    look_around(pg);
  } else {
    look_at(pg);
  }
}

void heap::look_around(page* pg) noexcept {
  // An active page of small objects is looked at seldom. Elsewhere few messages at a time: a free is to be short.
  bool const seldom = pg->place == page_place::active && pg->units <= 4;
  look_at(pg);
  if (has_mail()) {
    receive(seldom ? 16 * mail_pace::visit : mail_pace::visit / 4);
  }
  if (central.may_rest()) {
    central.rest();
  }
}

// The page is wholly free and in no list.
void heap::retire(page* pg) noexcept {
  count_page(pg->size_class, ~0u);
  pg->has_signed = pg->has_signed || pg->free || pg->reserve;
  pg->bound.set(0);
  pg->owner.set(nullptr);
  pg->kind.store(page_kind::cached, mo::relaxed);
  unsigned const k = kept_index(pg->units);
  if (kept_count_[k] < kept_runs && kept_units_ + pg->units <= kept_units) {
    kept_[k][kept_count_[k]++] = pg;
    kept_units_ += pg->units;
    return;
  }
  give_guarded(pg, true);
}

// A page that had the same class is best: its next objects lie where others have lain, and touch no other memory. The
// newest one of them, most often the newest of all.
page* heap::take_kept(std::uint32_t units, unsigned c) noexcept {
  unsigned const k = kept_index(units);
  if (!kept_count_[k]) {
    return nullptr;
  }
  kept_units_ -= units;
  page** const last = kept_[k] + --kept_count_[k];
  for (page** kept = last;; --kept) {
    if ((*kept)->size_class == c) {
      return std::exchange(*kept, *last);
    }
    if (kept == kept_[k]) {
      return *last;
    }
  }
}

bool heap::give_kept(std::uint32_t least_units) noexcept {
  bool given = false;
  for (unsigned k = kept_index(least_units); k < kept_lengths; ++k) {
    while (kept_count_[k]) {
      page* const pg = kept_[k][--kept_count_[k]];
      kept_units_ -= pg->units;
      give_guarded(pg, true);
      given = true;
    }
  }
  return given;
}

void heap::check_epoch() noexcept {
  std::uint32_t const e = clean_epoch.load(mo::relaxed);
  if (ASHLAR_UNLIKELY(cleaned_epoch != e)) {
    cleaned_epoch = e;
    flush();
    clean();
  }
}

// Some of the mail that is due.
void heap::receive_due(std::uint32_t most) noexcept {
  if (has_mail() && receive(most) == most) {
    pace_.took(most);
  } else {
    pace_.rest();
  }
}

void* heap::allocate_slow(unsigned c) noexcept {
  if (pace_.is_due()) {
    receive_due(pace_.due());
  }
  check_epoch();
  bool paid = false;  // the mail that a new page owes
  for (;;) {
    page* pg = active_[c];
    if (pg != &no_page) {
      if (block* const b = pg->free) {
        return pop(pg, b);
      }
      if (pg->reserve) {
        pg->free = pg->reserve;
        pg->reserve = nullptr;
        continue;
      }
      if (pg->fresh != pg->fresh_end) {
        if constexpr (hardened) {
          list_fresh(pg);
          continue;
        }
        return pg->take_fresh();
      }
      if (pg->holes) {
        fill_hole(pg);
        continue;
      }
      deactivate(pg);
    }
    if ((pg = partial_[c].head)) {
      unlink(partial_[c], pg);
      pace_.hand_out(pg->capacity - static_cast<std::uint32_t>(pg->needed + pg->slack));
    } else {
      if (!paid) {
        pace_.hand_out(constants[c].shapes[1].capacity);
        paid = true;
      }
      if (pace_.is_due()) {
        receive_due(mail_pace::visit);
        continue;
      }
      pg = new_page(c);
    }
    if (pg == nullptr) {
      return rare_classes::may_be_rare(c) ? allocate_alone(large_, class_size(c), rare_.alone(c)) : nullptr;
    }
    activate(pg);
  }
}

void report_double_free(void const* p) noexcept { fatal("free(): double free of", p); }

void heap::free_in_order(page* pg, void* p) noexcept {
  char* const at = static_cast<char*>(p);
  std::size_t const size = pg->block_size.load(mo::relaxed);
  if (at == pg->fresh_end) {
    pg->fresh_end = at + size;
  } else if (at + size == pg->fresh) {
    pg->fresh = at;
  } else if (pg->fresh == pg->fresh_end) {
    pg->fresh = at;
    pg->fresh_end = at + size;
  } else {
    if (pg->is_fresh(p)) {
      report_double_free(p);
    }
    sign_fresh(pg);
    pg->owner.set(this);
    return free_own(pg, p);
  }
  if (--pg->needed == 0) {
    look_after_free(pg);
  }
}

void heap::free_own(page* pg, void* p) noexcept {
  if (pg->owner.get() != this) {
    return pg->holes ? free_beside_holes(pg, p) : free_in_order(pg, p);
  }
  if constexpr (hardened) {
    return free_checked(pg, p);
  }
  block* const b = static_cast<block*>(p);
  if (b->signed_free(pg)) {
    return suspect(p);
  }
  b->sign(pg);
  b->set_next(pg->free);
  pg->free = b;
  if (--pg->needed == 0) {
    look_after_free(pg);
  }
}

bool heap::retire_empty_active(std::uint32_t least_units) noexcept {
  bool given = false;
  for (page*& pg : active_) {
    if (pg != &no_page && pg->units >= least_units && !count_live(pg)) {
      page* const empty = pg;
      if (empty->counted_empty) {
        empty->counted_empty = false;
        empty_units_ -= empty->units;
      }
      pg = &no_page;
      retire(empty);
      given = true;
    }
  }
  return given;
}

bool heap::clean() noexcept {
  bool given = retire_empty_active(0);
  given = give_kept(1) || given;
  return large_.give_all() || given;
}

void heap::shrink() noexcept {
  retire_empty_active(8);
  give_kept(8);
  large_.give_all();
}

}  // namespace ashlar::inline v1::alloc
