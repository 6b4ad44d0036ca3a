// SPDX-License-Identifier: Apache-2.0
// What the market does for waits whose work nobody else can come for: README.md, 'Progress'.
#include "os/clock.h"
#include "sched/core/thread_data.h"
#include "sched/market/market.h"

#include <utility>

namespace ashlar::inline v1::sched {

void market::begin_rest(thread_data& t) noexcept {
  std::lock_guard guard(lock_);
  if (!t.is_worker) return;
  deputies_.begin_rest();
  if (dismiss_deputy(t)) recompute();
}

// Who goes on does so beyond the limit as long as deputies are at work: these leave between two jobs.
void market::end_rest(thread_data& t) noexcept {
  std::lock_guard guard(lock_);
  if (t.is_worker) deputies_.end_rest();
  bool changed = false;
  allotment_.for_each([&](arena& a) {
    bool const here = t.is_worker || a.slot_of(t) != nullptr;
    if (here && a.deputies.load(mo::relaxed) != 0) {
      a.deputies.store(0, mo::relaxed);
      changed = true;
    }
  });
  if (changed) recompute();
}

bool market::dismiss_deputy(thread_data& t) noexcept {
  arena* const a = std::exchange(t.deputy_in, nullptr);
  if (a == nullptr || a->deputies.load(mo::relaxed) == 0) return false;
  a->deputies.store(0, mo::relaxed);
  return true;
}

bool market::recalls_deputy(arena& a) noexcept {
  std::lock_guard guard(lock_);
  thread_data& t = *current_thread;
  if (a.deputies.load(mo::relaxed) != 0 && !deputies::has_application_at_work(a)) return false;
  if (dismiss_deputy(t)) recompute();
  t.deputy_in = nullptr;
  return true;
}

bool market::send_deputy() noexcept {
  sleeper* chosen = nullptr;
  bool soon = false;
  {
    std::lock_guard guard(lock_);
    if (workers_.ending()) return false;
    if (deputies_.is_sent()) return true;
    // A worker that works will come, or will rest and look itself.
    if (!deputies_.all_rest(allotment_.active())) return false;
    arena* const a = deputies::stranded(members_, os::now_ns(), soon);
    if (a == nullptr) return soon;
    chosen = parking_lot::get().take_worker();
    if (chosen == nullptr && !workers_.may_create()) return true;
    deputies_.send(*a);
    if (chosen == nullptr) workers_.reserve();
  }
  if (chosen != nullptr) {
    chosen->unpark(false);
  } else if (!start_worker()) {
    std::lock_guard guard(lock_);
    deputies_.take();
  }
  return true;
}

// The arena to which the calling worker goes as a deputy, or null.
arena* market::assign_deputy() noexcept {
  arena* const a = deputies_.take();
  if (a == nullptr || !a->try_retain()) return nullptr;
  current_thread->deputy_in = a;
  a->deputies.store(1, mo::relaxed);
  allotment_.arrive(*a);
  recompute();
  return a;
}

}  // namespace ashlar::inline v1::sched
