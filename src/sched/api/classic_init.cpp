// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/api/classic_init.h>

#include "sched/api/application_thread.h"
#include "sched/market/market.h"

namespace ashlar::inline v1::sched {

namespace {

// The calling thread's open scopes.
struct scopes {
  unsigned open = 0;
  bool made_arena = false;  // the outermost one did
  unsigned requested = 0;   // threads that it asked for
};
__thread scopes mine;

}  // namespace

void open_scheduler(unsigned threads, std::size_t stack_size) {
  if (current_slot == nullptr) {
    market& m = market::get();
    if (stack_size != 0) m.request_stack_size(stack_size);
    if (mine.open == 0) {
      m.request_concurrency(threads);
      mine.requested = threads;
      mine.made_arena = true;
    }
    ++mine.open;
    try {
      attach_thread(threads);
    } catch (...) {
      if (--mine.open == 0) forget_scopes();
      throw;
    }
    return;
  }
  ++mine.open;
}

void forget_scopes() noexcept {
  if (mine.made_arena) market::get().withdraw_concurrency(mine.requested);
  mine = {};
  if (current_thread != nullptr) current_thread->own_threads = 0;
}

bool close_scheduler(bool wait) noexcept {
  if (mine.open == 0) return false;
  if (--mine.open != 0) return false;
  bool const made_arena = mine.made_arena;
  forget_scopes();
  slot* const s = current_slot;
  if (s != nullptr) {
    if (!s->outside_tasks() || s->task() != nullptr || s->thread().own_arena != &s->home()) return false;
    // Enqueued tasks outlive the scope: the arena stays with the thread as long as they wait.
    if (made_arena && !s->home().has_visible_work()) detach_thread();
  }
  return !wait || market::get().terminate_workers();
}

unsigned default_threads() noexcept { return default_concurrency(); }

}  // namespace ashlar::inline v1::sched
