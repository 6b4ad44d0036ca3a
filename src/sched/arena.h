// SPDX-License-Identifier: Apache-2.0
// An arena: the slots in which threads work on one body of work, and its queue of enqueued jobs. Each application
// thread has an arena of its own; workers come and go as the market allots them (Iordan et al. 2015, section 2).
//
// Threads    slots of other threads are read by thieves; counts under the market's lock unless atomic.
// Invariants A1 at most concurrency() threads sit in the arena.
//            A2 an arena with an occupied slot or with jobs is not destroyed.
// Ordering   [A1] vacate: occupant release -> [A2] occupy: occupant exchange acquire (the slot's state)
//            [A3] release: the last reference sees what the others did (release <-> acquire)
//            [A5] occupy: in_use release   -> [A4] thief: in_use acquire (the slot's first ring)
//            [S2] arming: README.md, 'Parking'
#pragma once

#include "sched/injector.h"
#include "sched/thread_data.h"

#include <ashlar/sched/slot.h>

#include <memory>

namespace ashlar {
inline namespace v1 {
namespace sched {

class mailbox;
class stand_ins;

class arena {
 public:
  static constexpr unsigned max_slots = 1u << 12;
  static constexpr int priority_levels = 3;  // 0 low, 1 normal, 2 high

  // `concurrency` slots of which `reserved` are for application threads. Throws std::bad_alloc.
  static arena& create(unsigned concurrency, unsigned reserved, int priority);
  // Counted references: occupants and handles. The last one to go destroys the arena, or abandons it to the workers
  // if jobs are left.
  void retain() noexcept { references_.fetch_add(1, mo::relaxed); }
  void release() noexcept;
  // For the market, which lists arenas without a reference: false if the last one is gone already.
  bool try_retain() noexcept {
    unsigned n = references_.load(mo::relaxed);
    while (n != 0) {
      if (references_.compare_exchange(n, n + 1, mo::relaxed, mo::relaxed)) return true;
    }
    return false;
  }

  unsigned concurrency() const noexcept { return concurrency_; }
  unsigned reserved() const noexcept { return reserved_; }
  int priority() const noexcept { return priority_; }

  // Takes a free slot for the thread, or returns null. Workers don't take reserved slots.
  slot* occupy(thread_data& who) noexcept;
  static void vacate(slot& s) noexcept;

  slot& at(unsigned i) noexcept { return slots_[i]; }
  mailbox& mail(unsigned i) noexcept;
  stand_ins& stand_ins_of(unsigned i) noexcept;
  // One more than the highest slot ever used.
  unsigned slots_in_use() const noexcept { return in_use_.load(mo::acquire); }  // [A4]

  // Anything for a thief, as far as can be seen.
  bool has_visible_work() noexcept;
  // Raises or clears a bit of the attention of every slot in use.
  void raise(std::uint32_t bit) noexcept;
  void lower(std::uint32_t bit) noexcept;

  injector enqueued;
  fp_settings fp;  // of the thread that made the arena: what its jobs run with unless their group has others
  atomic<int> searching{0};  // threads that are looking for work in this arena right now

  // The market's.
  struct {
    unsigned wanted = 0;    // workers that the arena could use
    bool mandatory = false; // has jobs that must run although the worker limit is 0
    bool abandoned = false; // its application thread is gone, and its reference belongs to the jobs that are left
    arena* next = nullptr;
    arena* previous = nullptr;
  } market_state;
  atomic<unsigned> allotted{0};
  atomic<unsigned> active{0};  // workers that sit in the arena or are on their way to it

 private:
  friend class market;
  arena(unsigned concurrency, unsigned reserved, int priority);
  ~arena();
  void destroy() noexcept;

  unsigned const concurrency_;
  unsigned const reserved_;
  int const priority_;
  std::unique_ptr<slot[]> const slots_;
  struct annex;  // what slots have but fast paths don't touch
  std::unique_ptr<annex[]> const annexes_;
  atomic<unsigned> in_use_{0};
  atomic<unsigned> references_{1};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
