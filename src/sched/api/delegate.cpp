// SPDX-License-Identifier: Apache-2.0
// Calling a function in an arena that is full: README.md, 'Full arenas'.
#include <ashlar/sched/arena/arena_handle.h>

#include "os/membarrier.h"
#include "sched/api/application_thread.h"
#include "sched/api/delegated.h"
#include "sched/core/rest.h"
#include "sched/market/market.h"
#include "sync/contend.h"

#include <exception>

namespace ashlar::inline v1::sched {

namespace {

// Makes the call, or takes part in the arena's work until it has been made.
void work_off(delegated& d) noexcept {
  if (d.claim()) return d.run_here();
  current_slot->wait(
      wait_until(&d.end, "its call in a full arena", [&d] { return d.end.done(); }, [&d] { return d.end.announce(); }));
}

// Nobody has begun with the call, and nobody shall.
bool gives_up(wait_target const* instead, delegated const& d) noexcept {
  return instead != nullptr && !d.claimed.load(mo::relaxed) && instead->done();
}

// Sleeps until the call has been made or, perhaps, a slot is free or the caller gives up. True if it was woken for a
// slot, or may have been.
bool sleep_outside(arena& a, delegated& d, thread_data& t, wait_target const* instead) noexcept {
  parking_lot& lot = parking_lot::get();
  sync::wait_place place;
  lot.enter_slot_waiter(t.parking, a, &d.end);
  if (instead != nullptr) t.parking.enter(place, instead->address);
  os::heavy_fence();  // [A9]
  if (!d.end.announce() || a.has_free_slot()) return !lot.leave(t.parking);
  if (instead != nullptr && !instead->announce()) return !lot.leave(t.parking);
  if (gives_up(instead, d)) return !lot.leave(t.parking);
  logged_wait const log(t.waits, market::get().standing_bits() & attention_observe, "a slot in a full arena", &a);
  rest(t).sleep();
  return true;
}

// `instead` may be null. False: the call was given up.
bool delegate(wait_target const* instead, arena& a, void (*call)(void*), void* function) {
  thread_data& t = this_thread_data();
  auto* const d = new delegated(call, function, current_slot != nullptr ? current_slot->enclosing_group() : nullptr);
  try {
    a.enqueue_call(*d);
  } catch (...) {
    delete d;
    throw;
  }
  a.retain();
  a.slot_waiters.fetch_add(1, mo::relaxed);  // before the fence of [A9]
  bool called = false, given_up = false;
  while (!d->end.done() && !given_up) {
    arena_visit const visit(a);
    if (visit.inside()) {
      work_off(*d);
      called = false;  // the slot is passed on as the visit ends
    } else if (gives_up(instead, *d)) {
      given_up = d->claim();
    } else if (!sync::contend(
                   [&] { return d->end.done() || a.has_free_slot(); })) {  // a short stay ends sooner than a sleep
      called = sleep_outside(a, *d, t, instead);
    }
  }
  a.slot_waiters.fetch_sub(1, mo::relaxed);
  // The thread was woken for a slot that it doesn't need any more.
  if (called && a.has_free_slot()) parking_lot::get().wake_slot_waiter(a);
  a.release();
  std::exception_ptr const failure = d->failure;
  d->release();
  if (failure) std::rethrow_exception(failure);
  return !given_up;
}

}  // namespace

void call_in_full_arena(arena& a, void (*call)(void*), void* function) { delegate(nullptr, a, call, function); }

bool call_in_full_arena_unless(wait_target const& instead, arena& a, void (*call)(void*), void* function) {
  return delegate(&instead, a, call, function);
}

}  // namespace ashlar::inline v1::sched
