// SPDX-License-Identifier: Apache-2.0
#include "sched/api/application_thread.h"

#include "obs/trace.h"
#include "os/thread.h"
#include "os/thread_end.h"
#include "sched/api/forks.h"
#include "sched/api/overflow_text.h"
#include "sched/arena/observers.h"
#include "sched/arena/stack_set.h"
#include "sched/market/market.h"
#include "sched/report/hang_watch.h"

#include <new>

namespace ashlar::inline v1::sched {

namespace {

// Runs at the thread's exit, after the destructors of its thread_local objects. A later destructor that uses the
// library again makes new data, and this runs once more.
void thread_exit(void* data) {
  auto* const t = static_cast<thread_data*>(data);
  current_thread = t;
  detach_thread();
  forget_scopes();
  announce_end(*t);
  current_thread = nullptr;
  obs::end_trace_lane();
  market::get().dismiss(t->share);
  delete t;
}

constinit os::thread_end at_end{thread_exit};

}  // namespace

thread_data& make_thread_data() {
  link_fork_hooks();
  auto* const t = new thread_data(false);
  t->tid.store(os::thread_id(), mo::relaxed);
  t->measure_stack();
  if (!at_end.ask(t)) {
    delete t;
    throw std::bad_alloc();
  }
  watch_if_environment_asks();
  watch_overflows_unless_told();
  return *(current_thread = t);
}

slot& attach_thread() { return attach_thread(current_thread != nullptr ? current_thread->own_threads : 0); }

slot& attach_thread(unsigned concurrency) {
  thread_data& t = this_thread_data();
  t.own_threads = concurrency;
  if (concurrency == 0) concurrency = default_concurrency();
  t.own_arena = &arena::create(concurrency, arena_settings());
  if (t.keeps_own_fp) t.own_arena->fp = t.own_fp;
  slot* const s = t.own_arena->occupy(t);
  if (s == nullptr) {
    t.own_arena->release();
    t.own_arena = nullptr;
    throw std::bad_alloc();
  }
  current_slot = s;
  market::get().members().count_attached(1);
  obs::trace_occupy(s, t.own_arena, t.own_arena->concurrency());
  observe_entry(*t.own_arena, *s);
  return *s;
}

void detach_thread() noexcept {
  thread_data* const t = current_thread;
  if (t == nullptr || t->own_arena == nullptr) return;
  if (current_slot != nullptr) {
    finish_stacks(*current_slot);
    observe_exit(*current_slot);
    announce_end(*t);
    arena::vacate(*current_slot);
  }
  current_slot = nullptr;
  market::get().members().count_attached(-1);
  market::get().abandon(*t->own_arena);
  t->own_arena = nullptr;
}

namespace {

// True if the thread is in no isolated region either: a region goes back to its slot at its end.
bool runs_no_task(thread_data const& t, slot& s) noexcept {
  return !t.is_worker && t.own_arena == &s.home() && s.runs_nothing();
}

}  // namespace

bool leave_scheduler() noexcept {
  thread_data* const t = current_thread;
  if (t == nullptr) return true;
  if (t->is_worker) return false;
  if (current_slot == nullptr) return true;
  if (!runs_no_task(*t, *current_slot)) return false;
  detach_thread();
  return true;
}

namespace {

// The program has something that means this very arena, or work in it.
bool is_bound_to_program(arena& a) noexcept {
  return a.holders.load(mo::relaxed) != 0 || a.phases.load(mo::relaxed) != 0 || a.has_visible_work();
}

}  // namespace

void renew_idle_slot() noexcept {
  slot* const s = current_slot;
  thread_data* const t = current_thread;
  if (s == nullptr || !runs_no_task(*t, *s) || s->has_jobs() || is_bound_to_program(s->home())) return;
  // The words are those of the thread's first use of the library, whichever arena it has.
  t->own_fp = t->own_arena->fp;
  t->keeps_own_fp = true;
  detach_thread();
}

}  // namespace ashlar::inline v1::sched
