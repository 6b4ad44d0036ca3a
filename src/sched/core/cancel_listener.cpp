// SPDX-License-Identifier: Apache-2.0
// The listeners of all contexts lie in one ring, under one lock, which nobody holds while a callback runs. Who cancels
// takes them out one after the other; each of them can still be detached until its turn.
#include <ashlar/sched/core/cancel_listener.h>

#include "sched/core/calling_thread.h"
#include "sched/park/process_locks.h"

#include <ashlar/sched/core/context.h>
#include <ashlar/sync/wait_on.h>

#include <mutex>

namespace ashlar::inline v1::sched {

namespace {

using guard = std::lock_guard<std::mutex>;

}  // namespace

class cancel_listeners {
 public:
  using listener = cancel_listener;

  // For a model, whose executions may end in the middle.
  static void begin_anew() noexcept { attached = {&attached, &attached}; }
  // With the lock.
  static void attach(listener& l) noexcept {
    l.next = &attached;
    l.previous = attached.previous;
    l.previous->next = &l;
    attached.previous = &l;
  }
  static void take_out(cancel_ring& l) noexcept {
    l.previous->next = l.next;
    l.next->previous = l.previous;
  }

  // A context has been cancelled. Listeners of contexts that others cancel meanwhile are called, too: one is taken at a
  // time, so that each is attached until it is called, and whoever detaches it waits.
  static void call_cancelled() noexcept {
    std::unique_lock<std::mutex> held(process_locks::cancel_listeners);
    while (listener* const l = first_cancelled()) call(*l, held);
  }
  // The context ends: its listeners are not called any more.
  static void forget(context& c) noexcept {
    guard const held(process_locks::cancel_listeners);
    for_each([&c](listener& l) {
      if (l.of_ != &c) return;
      take_out(l);
      l.state_.store(listener::over, mo::relaxed);
    });
  }

 private:
  static listener* first_cancelled() noexcept {
    for (cancel_ring* r = attached.next; r != &attached; r = r->next) {
      auto& l = static_cast<listener&>(*r);
      if (l.of_->is_cancelled()) return &l;
    }
    return nullptr;
  }
  template <typename F>
  static void for_each(F const& f) noexcept {
    for (cancel_ring* r = attached.next; r != &attached;) {
      cancel_ring* const next = r->next;
      f(static_cast<listener&>(*r));
      r = next;
    }
  }
  // The listener may be gone afterwards.
  static void call(listener& l, std::unique_lock<std::mutex>& held) noexcept {
    bool detached = false;
    take_out(l);
    l.runner_ = calling_thread();
    l.detached_ = &detached;
    l.state_.store(listener::running, mo::relaxed);
    held.unlock();
    l.call_(l);
    held.lock();
    if (detached) return;
    l.state_.store(listener::over, mo::release);  // [CB3]
    sync::wake_all(&l);                           // the address is only a key
  }

  static cancel_ring attached;
};

constinit cancel_ring cancel_listeners::attached{&cancel_listeners::attached, &cancel_listeners::attached};

namespace {

constinit context::watch const watch_of_contexts{&cancel_listeners::call_cancelled, &cancel_listeners::forget};

}  // namespace

void cancel_listener::attach(context& to) noexcept {
  {
    guard const held(process_locks::cancel_listeners);
    of_ = &to;
    state_.store(attached, mo::relaxed);
    cancel_listeners::attach(*this);
    to.state_.fetch_or(context::has_listeners, mo::relaxed);
    context::watched_by.store(&watch_of_contexts, mo::seq_cst);  // [CB1]
    if (!to.is_cancelled()) return;
  }
  cancel_listeners::call_cancelled();
}

void cancel_listener::detach() noexcept {
  {
    guard const held(process_locks::cancel_listeners);
    std::uint32_t const now = state_.load(mo::acquire);  // [CB4]
    if (now == attached) cancel_listeners::take_out(*this);
    if (now == running && runner_ == calling_thread()) *detached_ = true;
    if (now != running || runner_ == calling_thread()) return state_.store(over, mo::relaxed);
  }
  auto const runs = [this] { return state_.load(mo::acquire) == running; };  // [CB4]
  while (runs()) sync::wait_while(this, runs, sync::wait_kind{});
}

}  // namespace ashlar::inline v1::sched
