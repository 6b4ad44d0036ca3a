// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/core/context.h>

#include "base/strict_exceptions.h"
#include "sched/core/worker_source.h"

#include <ashlar/sched/core/attention.h>
#include <ashlar/sync/backoff.h>

#include <new>
#include <utility>

namespace ashlar::inline v1::sched {

namespace {

// Nodes on which cancel() was called and that have not been reset or retired.
atomic<std::uint32_t> cancelled_nodes{0};
// Advances with every cancel; a node that was found clean in this epoch need not be looked at again.
atomic<std::uint32_t> epoch{1};

constexpr std::uint32_t marked = context::cancelled | context::inherited;

}  // namespace

constinit atomic<context::watch const*> context::watched_by{nullptr};

void context::call_listeners() noexcept {
  if (watch const* const w = watched_by.load(mo::seq_cst)) w->cancelled();  // [CB2]
}

bool context::any_cancelled() noexcept { return cancelled_nodes.load(mo::seq_cst) != 0; }  // [C8]

bool context::cancel() noexcept {
  std::uint32_t old = state_.load(mo::relaxed);
  do {
    if (old & marked) return false;
  } while (!state_.compare_exchange(old, old | cancelled, mo::acq_rel, mo::relaxed));  // [C1]
  cancelled_nodes.fetch_add(1, mo::seq_cst);  // [C8]
  epoch.fetch_add(1, mo::seq_cst);            // [C3]
  worker_source::get().raise_all(attention_cancel);
  call_listeners();
  return true;
}

bool context::is_cancelled() noexcept {
  if (state_.load(mo::acquire) & marked) return true;  // [C2]
  if (!any_cancelled()) return false;
  std::uint32_t const now = epoch.load(mo::seq_cst);  // [C4]
  context* end = this;
  bool found = false;
  for (; end != nullptr && end->clean_epoch_.load(mo::relaxed) != now; end = end->parent_) {
    if (end->state_.load(mo::acquire) & marked) {  // [C2]
      found = true;
      break;
    }
  }
  for (context* c = this; c != end; c = c->parent_) {
    if (found) {
      c->state_.fetch_or(inherited, mo::relaxed);
    } else {
      c->clean_epoch_.store(now, mo::relaxed);
    }
  }
  return found;
}

void context::record_exception() noexcept { record_exception(std::current_exception()); }

void context::record_exception(std::exception_ptr const& what) noexcept {
  if (exceptions_end_process()) std::terminate();
  std::uint32_t const old = state_.fetch_or(exception_claimed, mo::acq_rel);  // [C5]
  if ((old & exception_claimed) == 0) {
    new (exception_) std::exception_ptr(what);
    state_.fetch_or(exception_ready, mo::release);  // [C5]
  }
  cancel();
}

// False if there is no exception, or another thread takes it.
bool context::hold_exception() noexcept {
  std::uint32_t old = state_.load(mo::relaxed);
  while (old & exception_ready) {
    if (old & exception_held) {
      // The holder needs some instructions, or was interrupted in them.
      sync::yield_thread();
      old = state_.load(mo::relaxed);
    } else if (state_.compare_exchange(old, old | exception_held, mo::acquire, mo::relaxed)) {  // [C6]
      return true;
    }
  }
  return false;
}

// `bits` go: the exception is stored no more, or is only held no more.
void context::give_exception_back(std::uint32_t bits) noexcept {
  state_.fetch_and(~bits, mo::release);  // [C5]
}

std::exception_ptr context::take_exception() noexcept {
  if (!hold_exception()) return nullptr;
  std::exception_ptr what = std::move(exception());
  exception().~exception_ptr();
  // Whoever claims the place next finds it empty.
  give_exception_back(exception_claimed | exception_ready | exception_held);
  return what;
}

atomic<std::uint32_t> context::priority_changes{0};

void context::rethrow() {
  if (!hold_exception()) return;
  std::exception_ptr const what = exception();
  give_exception_back(exception_held);
  std::rethrow_exception(what);
}

void context::reset() noexcept {
  // The last reference may go here, and call the program: it goes when nobody can wait for this thread.
  std::exception_ptr const forgotten = take_exception();
  constexpr std::uint32_t stored = exception_claimed | exception_ready | exception_held;
  std::uint32_t const old =
      state_.fetch_and(has_facade | has_priority | has_listeners | inborn | stored, mo::acq_rel);  // [C5]
  if (old & cancelled) {
    epoch.fetch_add(1, mo::seq_cst);            // [C3]
    cancelled_nodes.fetch_sub(1, mo::seq_cst);  // [C7]
  }
}

}  // namespace ashlar::inline v1::sched
