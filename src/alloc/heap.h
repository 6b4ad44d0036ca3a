// SPDX-License-Identifier: Apache-2.0
// A heap: the pages of one thread, one active page per size class, and the mail of freed objects in both directions.
// Heaps are never destroyed; a thread that ends leaves its heap, whole, to the next one (thread_heap.h).
//
// Threads: everything belongs to the heap's acting owner (its thread, or the one that holds it while it has none),
// except inbox_, to which every thread posts.
//
// Invariants: I1 a page is active, full or partial: active ones are in active_, partial ones in partial_, full ones in
// no list. I2 an object handed out or under way in a message counts as live, so a page with mail under way
// is never given back. I3 malloc touches no counter: what an active page lives by is recounted when it ceases to be
// active, which happens when its list is empty and everything is live.
#pragma once

#include "alloc/backend.h"
#include "alloc/large_cache.h"
#include "alloc/mail_pace.h"
#include "alloc/os_memory.h"
#include "alloc/page.h"
#include "alloc/page_map.h"
#include "alloc/rare_classes.h"
#include "alloc/remote_free.h"
#include "alloc/size_class.h"

namespace ashlar {
inline namespace v1 {
namespace alloc {

class heap {
 public:
  constexpr heap() noexcept;
  heap(heap const&) = delete;
  heap& operator=(heap const&) = delete;

  // The fast paths are functions of api.h on these.
  ASHLAR_ALWAYS_INLINE page* active(unsigned c) const noexcept { return active_[c]; }

  // For sizes up to table_limit. The table is the heap's own, because its address needs no instruction then.
  ASHLAR_ALWAYS_INLINE unsigned class_of(std::size_t size) const noexcept { return table_[size]; }
  ASHLAR_ALWAYS_INLINE page* active_for(std::size_t size) const noexcept { return active_[table_[size]]; }

  // An object when the active page has none at hand; null without memory.
  void* allocate_slow(unsigned c) noexcept;
  // Frees an object of this heap's page, for paths that are not in a hurry.
  void free_own(page* pg, void* p) noexcept;
  // Frees an object of this heap's marked page. As long as objects come back in the order of their addresses, or in the
  // reverse, bounds tell which are free: nothing is written into memory that may have left the cache, or
  // that never was touched.
  void free_in_order(page* pg, void* p) noexcept;
  // Is p, where an object of the page starts, free already? A signature alone may be an old one that the program has
  // copied, uninitialised, from elsewhere in the page; so it is searched for. free_check.cpp.
  static bool is_free(page* pg, void* p) noexcept;
  // The hardened build's ways to take an object from a page's list and to give one back.
  void* pop_checked(page* pg, block* b) noexcept;
  void free_checked(page* pg, void* p) noexcept;
  // The tail of an object that is being freed.
  static void check_tail(page const* pg, void const* p) noexcept;
  ASHLAR_ALWAYS_INLINE void* pop(page* pg, block* b) noexcept {
    if constexpr (hardened) {
      return pop_checked(pg, b);
    }
    pg->free = b->next();
    b->forget_signature();
    return b;
  }
  void forget_random() noexcept { random_ = 0; }
  // The page's `needed` has become 0.
  void look_at(page* pg) noexcept;
  // The same where this heap's thread frees an object: it may have no need of slow calls, and sees to mail and rest
  // here. Functions of their own, so that frees need no stack frame for it.
  ASHLAR_NOINLINE void look_after_free(page* pg) noexcept;
  ASHLAR_NOINLINE void look_around(page* pg) noexcept;

  // Frees an object that is probably another heap's. A slot that has the page already proves it, and that this is
  // not no_heap; the slow branch looks.
  ASHLAR_ALWAYS_INLINE void free_remote(page* pg, void* p) noexcept;
  // The same for an object that certainly is another heap's.
  void free_to_slot(page* pg, void* p) noexcept;
  // Sends everything that is under way from here.
  void flush() noexcept {
    if constexpr (hardened) {
      end_quarantine();
    }
    flush_all_but(nullptr);
  }
  // Sees to mail, at most `most` messages; returns to how many. Less: there was no more.
  unsigned receive(unsigned most) noexcept;
  bool has_mail() const noexcept { return inbox_.has_mail() || pending_ != nullptr; }
  void take_mail() noexcept { append_pending(inbox_.take_all()); }

  // Large objects that the thread has just freed.
  large_cache& large() noexcept { return large_; }

  // Gives wholly free pages and other things kept for later to the backend. True: something was given.
  bool clean() noexcept;
  // The same for what is not worth keeping for the next thread.
  void shrink() noexcept;
  std::uint32_t pages_of(unsigned c) const noexcept { return pages_[c].load(mo::relaxed); }

  inbox& mail() noexcept { return inbox_; }
  void append_pending(message* list) noexcept;
  void forget_outgoing() noexcept;

  // The registry's links.
  heap* next_heap = nullptr;
  heap* next_idle = nullptr;
  heap* prev_idle = nullptr;
  bool idle = false;
  std::uint32_t cleaned_epoch = 0;

 private:
  struct page_list {
    page* head = nullptr;
    page* tail = nullptr;
  };
  struct alignas(32) outgoing {
    page* pg = nullptr;
    block* head = nullptr;
    block* last = nullptr;
    std::uint32_t count = 0;

    std::int32_t cost() const noexcept { return pg->sending_cost.load(mo::relaxed) * static_cast<std::int32_t>(count); }
  };
  static constexpr std::size_t look_ahead = 4;  // messages that are on their way at the same time
  struct outbox {
    heap* owner = nullptr;
    message* first = nullptr;
    message* last = nullptr;
    message* newest[look_ahead] = {};
    unsigned next = 0;

    // The message is the list's first one from now on; returns the one that comes so many later, or null.
    message* push(message* m) noexcept {
      first = m;
      message*& place = newest[next++ % look_ahead];
      message* const later = place;
      place = m;
      return later;
    }
  };

  static constexpr std::size_t quarantined = hardened ? 64 : 1;  // freed objects that wait; more would keep more pages
  static constexpr std::size_t slots = 64;
  static constexpr std::size_t owners = 8;
  static constexpr std::int32_t send_bytes = 128 * 1024;  // under way at most, before it is sent: see sending_cost
  static constexpr unsigned kept_lengths = 6;             // 1, 2, 4 .. 32 units
  static constexpr std::size_t kept_runs = 12;            // of each length, and
  static constexpr std::uint32_t kept_units = 128;        // 2 MB in all
  static constexpr std::size_t most_empty_units = 32;     // 512 KB of wholly free active pages
  static constexpr std::size_t most_idle_bytes = std::size_t{4} << 20;

  void check_epoch() noexcept;
  void receive_due(std::uint32_t most) noexcept;
  page* new_page(unsigned c) noexcept;
  bool is_under_way(page const* pg, void const* p) const noexcept;
  bool has_in_mail(page const* pg, void const* p) const noexcept;
  static void check_mail(page const* pg, block* first) noexcept;
  void sign_fresh(page* pg) noexcept;
  void free_beside_holes(page* pg, void* p) noexcept;
  void list_fresh(page* pg) noexcept;
  // Is p, an object's start, in memory that was given back?
  static bool in_hole(page const* pg, void const* p) noexcept { return pg->holes && is_given_back(pg, p); }
  static bool is_given_back(page const* pg, void const* p) noexcept;
  void put_into_quarantine(page* pg, block* b) noexcept;
  static page* inspect(block* b) noexcept;
  void inspect_quarantine() const noexcept;
  void list(page* pg, block* b) noexcept;
  void end_quarantine() noexcept;
  static void check_chain(page const* pg, block* first, std::uint32_t count) noexcept;
  std::uint64_t next_random() noexcept;
  void fill_hole(page* pg) noexcept;
  // How many objects start in memory that was given back.
  static std::uint32_t count_holes(page const* pg) noexcept { return pg->holes ? count_given_back(pg) : 0; }
  static std::uint32_t count_given_back(page const* pg) noexcept;
  void count_idle(page* pg, std::uint32_t live) noexcept;
  void forget_idle(page* pg) noexcept;
  void make_holes(page* pg) noexcept;
  void activate(page* pg) noexcept;
  void deactivate(page* pg) noexcept;
  void recount(page* pg) noexcept;
  void retire(page* pg) noexcept;
  bool retire_empty_active(std::uint32_t least_units) noexcept;
  page* take_kept(std::uint32_t units, unsigned c) noexcept;
  bool give_kept(std::uint32_t least_units) noexcept;
  static unsigned kept_index(std::uint32_t units) noexcept { return 31u - static_cast<unsigned>(__builtin_clz(units)); }
  void count_page(unsigned c, std::uint32_t change) noexcept {
    pages_[c].store(pages_[c].load(mo::relaxed) + change, mo::relaxed);
  }
  std::uint32_t count_live(page const* pg) const noexcept;
  void accept(page* pg, message* m) noexcept;
  static block* last_of(page const* pg, message const* m) noexcept;
  void splice(page* pg, message* m) noexcept;
  void push_front(page_list& l, page* pg) noexcept;
  void push_back(page_list& l, page* pg) noexcept;
  void unlink(page_list& l, page* pg) noexcept;
  outbox& box_of(heap const* owner) noexcept {
    return boxes_[(reinterpret_cast<std::uintptr_t>(owner) / sizeof(heap)) % owners];
  }
  void flush_all_but(outgoing* kept) noexcept;
  void dispatch(outgoing& o) noexcept;
  void send(outbox& o) noexcept;
  ASHLAR_NOINLINE void make_room(outgoing& o) noexcept;
  ASHLAR_NOINLINE void miss_slot(page* pg, void* p) noexcept;
  outgoing& slot_of(page const* pg) noexcept {
    return out_[(reinterpret_cast<std::uintptr_t>(pg) / sizeof(page)) % slots];
  }

  page* active_[class_count] = {};
  std::array<std::uint8_t, table_limit + 1> table_ = class_table;
  page_list partial_[class_count];
  atomic<std::uint32_t> pages_[class_count];  // written by the owner, read by statistics
  page* kept_[kept_lengths][kept_runs] = {};  // wholly free runs
  std::uint8_t kept_count_[kept_lengths] = {};
  std::uint32_t kept_units_ = 0;
  rare_classes rare_;
  large_cache large_;
  std::size_t idle_bytes_ = 0;     // free and touched in partial pages, about
  std::uint32_t empty_units_ = 0;  // in active pages that were wholly free when last looked at
  std::int32_t room_ = send_bytes;
  std::uint64_t used_slots_ = 0;  // bits of slots that may have objects
  std::uint32_t sent_to_idle_ = 0;
  std::uint64_t random_ = 0;  // the hardened build's generator; 0: without a seed
  block* quarantine_[quarantined] = {};
  std::size_t quarantine_at_ = 0;
  message* pending_ = nullptr;  // taken from the inbox, not yet looked at
  mail_pace pace_;
  outgoing out_[slots];
  outbox boxes_[owners];
  alignas(128) inbox inbox_;
};

// Under the registry's lock, before the first object is handed out.
void make_secrets() noexcept;

[[noreturn]] void report_double_free(void const* p) noexcept;
// Frees an object with a signature if that is not its own, and ends the process if it is.
void suspect(void* p) noexcept;

// The active page of a class that has none; it never has an object.
extern page no_page;

// What a thread without a heap has; its pages are all no_page and nobody's.
extern heap no_heap;

// Moved on to ask every heap to clean itself when its thread comes by.
extern atomic<std::uint32_t> clean_epoch;

constexpr heap::heap() noexcept {
  for (page*& pg : active_) {
    pg = &no_page;
  }
}

ASHLAR_ALWAYS_INLINE void heap::free_remote(page* pg, void* p) noexcept {
  outgoing& o = slot_of(pg);
  if (ASHLAR_UNLIKELY(o.pg != pg)) {
    return miss_slot(pg, p);
  }
  block* const b = static_cast<block*>(p);
  if (ASHLAR_UNLIKELY(b->signed_free(pg))) {
    return suspect(p);
  }
  if constexpr (hardened) {
    check_tail(pg, p);
  }
  b->set_next(o.head);
  o.head = b;
  b->sign(pg);
  ++o.count;
  room_ -= pg->sending_cost.load(mo::relaxed);
  if (ASHLAR_UNLIKELY(room_ < 0)) {
    return make_room(o);
  }
}

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
