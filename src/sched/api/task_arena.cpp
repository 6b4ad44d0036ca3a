// SPDX-License-Identifier: Apache-2.0
// What tbb::task_arena calls: making arenas, entering and leaving them. Protocol of full arenas: README.md.
#include <ashlar/sched/api/task_arena.h>

#include "os/fp_control.h"
#include "os/thread.h"
#include "sched/api/application_thread.h"
#include "sched/api/constraints.h"
#include "sched/arena/observers.h"
#include "sched/arena/stack_set.h"
#include "sched/market/market.h"

#include <algorithm>

namespace ashlar::inline v1::sched {

arena& make_arena(arena_settings const& settings) {
  int const wanted = constrained_concurrency(settings.where);
  auto const concurrency = static_cast<unsigned>(std::clamp(wanted, 1, static_cast<int>(arena::max_slots)));
  arena& a = arena::create(concurrency, settings, binding_of(settings.where));
  market::get().members().count_handles(1);
  a.holders.fetch_add(1, mo::relaxed);
  return a;
}

void request_threads(unsigned threads) { market::get().request_concurrency(threads); }

arena* share_current_arena() noexcept {
  if (current_slot == nullptr) return nullptr;
  current_slot->home().retain();
  market::get().members().count_handles(1);
  current_slot->home().holders.fetch_add(1, mo::relaxed);
  return &current_slot->home();
}

void drop_arena(arena& a) noexcept {
  bool const last = a.holders.fetch_sub(1, mo::relaxed) == 1;
  market::get().members().count_handles(-1);
  if (last) return market::get().abandon(a);
  a.release();
}

int arena_concurrency(arena const& a) noexcept {
  bool const inside = current_slot != nullptr && &current_slot->home() == &a;
  return inside ? this_arena_concurrency() : static_cast<int>(a.concurrency());
}
unsigned arena_reserved(arena const& a) noexcept { return a.reserved(); }
int arena_priority(arena const& a) noexcept { return a.priority(); }

arena_settings settings_of_arena(arena const& a) noexcept {
  arena_settings s = a.settings();
  s.where.max_concurrency = static_cast<int>(a.concurrency());
  s.reserved = a.reserved();
  return s;
}

int this_arena_concurrency() noexcept {
  slot const* const s = current_slot;
  if (s == nullptr) return static_cast<int>(default_concurrency());
  // The worker that has come for enqueued jobs has a place beyond the reserved ones.
  return static_cast<int>(std::max(s->home().concurrency(), s->position() + 1));
}

int this_thread_index() noexcept {
  return current_slot != nullptr ? static_cast<int>(current_slot->position()) : not_initialized_setting;
}

void enqueue_job(arena& a, job& what, int priority) { a.enqueue(what, priority); }
void submit_job(arena& a, job& what) { a.enqueue_call(what); }
void submit_urgent_job(arena& a, job& what) { a.submit_spawned(what, true); }

namespace {

// Runs enqueued jobs, which otherwise only workers run.
void run_enqueued(slot& s) noexcept {
  while (job* const what = s.home().enqueued.try_pop_job()) s.run(what, 1);
}

}  // namespace

ASHLAR_ALWAYS_INLINE static fp_settings words_of_thread() noexcept {
  os::fp_control const words = os::read_fp_control();
  return {words.mxcsr, words.x87};
}

// Functions run with the arena's floating-point words; `words` are the thread's.
ASHLAR_ALWAYS_INLINE void arena_visit::take_words_of(arena const& a, fp_settings const& words) noexcept {
  other_fp_ = words.mxcsr != a.fp.mxcsr || words.x87_control != a.fp.x87_control;
  if (ASHLAR_LIKELY(!other_fp_)) return;
  outer_fp_ = words;
  os::write_fp_control({a.fp.mxcsr, a.fp.x87_control});
}

static bool has_left_stacks(slot const& s) noexcept { return s.stacks() != nullptr && s.stacks()->outstanding(); }

bool arena_visit::enter(arena& a) {
  outer_ = current_slot;
  if (outer_ != nullptr) call_ = {outer_->enclosing_group(), outer_->stacks() == nullptr ? outer_->call() : nullptr};
  if (outer_ != nullptr && &outer_->home() == &a) {
    slot& s = *outer_;
    slot_ = outer_;
    outer_frame_ = slot::frame(s);
    s.begin_function();
    begin_call();
    outer_function_ = s.enter_function(true);
    take_words_of(a, words_of_thread());
    return true;
  }
  thread_data& t = outer_ != nullptr ? outer_->thread() : this_thread_data();
  // The words are read before the locked instruction: reading takes as long as that, and after it the two would not
  // overlap.
  fp_settings const words = words_of_thread();
  slot_ = a.occupy(t);
  again_ = false;
  if (ASHLAR_UNLIKELY(slot_ == nullptr)) return enter_again(a, t, words);
  current_slot = slot_;
  begin_call();
  slot_->enter_function(true);
  if (ASHLAR_UNLIKELY(a.bound())) outer_bound_ = a.bind(t);
  take_words_of(a, words);
  observe_entry(a, *slot_);
  if (ASHLAR_UNLIKELY(market::without_workers())) run_enqueued(*slot_);
  return true;
}

// A thread that is in the full arena already, and in another one since, would wait for itself: it goes back to its
// slot. It does not do so beside suspended tasks: if they went on meanwhile, visits would not end in the order in which
// they began.
ASHLAR_COLD bool arena_visit::enter_again(arena& a, thread_data& t, fp_settings const& words) noexcept {
  if (outer_ == nullptr || has_left_stacks(*outer_)) return false;
  slot_ = a.slot_of(t);
  if (slot_ == nullptr || has_left_stacks(*slot_)) return false;
  again_ = true;
  outer_frame_ = slot::frame(*slot_);
  slot_->begin_function();
  begin_call();
  outer_function_ = slot_->enter_function(true);
  current_slot = slot_;
  if (a.bound()) outer_bound_ = a.bind(t);
  take_words_of(a, words);
  return true;
}

void arena_visit::leave() noexcept {
  if (slot_ == outer_) {
    slot& s = *outer_;
    outer_frame_.restore(s);
    s.begin_call(outer_call_);
    s.enter_function(outer_function_);
    s.end_inner_region();
    if (ASHLAR_UNLIKELY(other_fp_)) os::write_fp_control({outer_fp_.mxcsr, outer_fp_.x87_control});
    return;
  }
  if (ASHLAR_UNLIKELY(slot_->stacks() != nullptr)) finish_stacks(*slot_);
  slot_->begin_call(outer_call_);
  if (ASHLAR_UNLIKELY(again_)) {
    outer_frame_.restore(*slot_);
    slot_->enter_function(outer_function_);
    slot_->end_inner_region();
  } else {
    observe_exit(*slot_);
  }
  if (ASHLAR_UNLIKELY(other_fp_)) os::write_fp_control({outer_fp_.mxcsr, outer_fp_.x87_control});
  current_slot = outer_;
  if (ASHLAR_UNLIKELY(slot_->home().bound())) arena::unbind(slot_->thread(), outer_bound_);
  // The arena may be gone after this.
  if (ASHLAR_LIKELY(!again_)) arena::vacate(*slot_);
}

void begin_phase(arena& a) noexcept { a.phases.fetch_add(1, mo::relaxed); }

void end_phase(arena& a) noexcept {
  unsigned n = a.phases.load(mo::relaxed);
  while (n != 0 && !a.phases.compare_exchange(n, n - 1, mo::relaxed, mo::relaxed)) {
  }
}

void wait_until_empty(arena& a) {
  {
    arena_visit const visit(a);
    if (visit.inside()) {
      // Nobody would wake the thread: it goes on looking. It is in no function of the program's.
      current_slot->enter_function(false);
      current_slot->wait(wait_until(
          nullptr, "an arena to become empty", [&a] { return !a.has_visible_work(); }, [] { return false; }));
    }
  }
  while (a.has_visible_work() || a.active.load(mo::relaxed) != 0 || !market::get().settle(a)) os::yield();
}

}  // namespace ashlar::inline v1::sched
