// SPDX-License-Identifier: Apache-2.0
// Calling a function in an arena that is full: README.md, 'Full arenas'.
//
// Ordering   [L1] the caller of the function ends: state exchange, acq_rel -> [L2] the waiting thread: state acquire
#include <ashlar/sched/arena_handle.h>

#include "sched/market.h"
#include "sched/worker.h"

#include <exception>

namespace ashlar {
inline namespace v1 {
namespace sched {

namespace {

// In the arena's queue and with the waiting thread; the second of the two frees it. One of them claims the call.
struct delegated : job {
  enum : std::uint32_t { waiting = 0, claimed = 1, finished = 2, asleep = 4 };

  delegated(void (*c)(void*), void* f) noexcept : job{&run_it}, call(c), function(f) {}

  bool claim() noexcept {
    std::uint32_t old = state.load(mo::relaxed);
    while ((old & claimed) == 0) {
      if (state.compare_exchange(old, old | claimed, mo::relaxed, mo::relaxed)) return true;
    }
    return false;
  }
  bool done() const noexcept { return (state.load(mo::acquire) & finished) != 0; }  // [L2]
  // False if there is nothing to wait for.
  bool announce() noexcept { return (state.fetch_or(asleep, mo::acq_rel) & finished) == 0; }  // [L2]
  // In the arena, outside of all groups.
  void run_here() noexcept {
    try {
      call(function);
    } catch (...) {
      failure = std::current_exception();
    }
    if (state.exchange(claimed | finished, mo::acq_rel) & asleep) wake_waiters(this);  // [L1]
  }
  void release() noexcept {
    if (holders.fetch_sub(1, mo::acq_rel) == 1) delete this;  // [L1] [L2]
  }
  static job* run_it(job* self, slot& here) noexcept {
    auto& d = *static_cast<delegated*>(self);
    here.enter_apart(nullptr);
    if (d.claim()) d.run_here();
    d.release();
    return nullptr;
  }

  void (*const call)(void*);
  void* const function;
  std::exception_ptr failure;
  atomic<std::uint32_t> state{waiting};
  atomic<unsigned> holders{2};
};

delegated& of(wait_target const& target) noexcept { return *static_cast<delegated*>(const_cast<void*>(target.object)); }

// Makes the call, or takes part in the arena's work until it has been made.
void work_off(delegated& d) noexcept {
  if (d.claim()) return d.run_here();
  wait_target target{};
  target.address = &d;
  target.object = &d;
  target.what = "its call in a full arena";
  target.done = [](wait_target const& t) noexcept { return of(t).done(); };
  target.announce = [](wait_target const& t) noexcept { return of(t).announce(); };
  current_slot->wait(target);
}

// Sleeps until the call has been made or, perhaps, a seat is free. True if it was woken for a seat, or may have been.
bool sleep_outside(arena& a, delegated& d, thread_data& t) noexcept {
  parking_lot& lot = parking_lot::get();
  lot.enter_seeker(t.bed, a, &d);
  a.note_occupants(true);
  if (!d.announce() || a.seat_free()) return !lot.leave(t.bed);
  logged_wait const log(t.waits, market::get().standing_bits() & attention_observe, "a seat in a full arena", &a);
  t.bed.sleep();
  return true;
}

}  // namespace

void call_in_full_arena(arena& a, void (*call)(void*), void* function) {
  thread_data& t = this_thread_data();
  auto* const d = new delegated(call, function);
  try {
    a.enqueue_call(*d);
  } catch (...) {
    delete d;
    throw;
  }
  a.retain();
  a.seekers.fetch_add(1, mo::seq_cst);  // [A9]
  bool called = false;
  while (!d->done()) {
    arena_visit const visit(a);
    if (visit.inside()) {
      work_off(*d);
      called = false;  // the seat is passed on as the visit ends
    } else {
      called = sleep_outside(a, *d, t);
    }
  }
  a.seekers.fetch_sub(1, mo::relaxed);
  // Woken for a seat that it doesn't need any more.
  if (called && a.seat_free()) parking_lot::get().wake_seeker(a);
  a.release();
  std::exception_ptr const failure = d->failure;
  d->release();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
