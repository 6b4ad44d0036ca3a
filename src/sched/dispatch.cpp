// SPDX-License-Identifier: Apache-2.0
// Running jobs and waiting: what a thread does between the fast paths.
#include <ashlar/sched/fork_join.h>

#include "os/clock.h"
#include "os/fp_control.h"
#include "os/membarrier.h"
#include "os/thread.h"
#include "sched/market.h"
#include "sched/observed.h"
#include "sched/observers.h"
#include "sched/search.h"
#include "sched/stack_set.h"
#include "sched/watch_list.h"
#include "sched/worker.h"

#include <algorithm>
#include <utility>

namespace ashlar::sched {

using obs::counter;

void slot::run(job* what, job_key key) noexcept {
  index const base = base_;
  job_key const outer_key = key_;
  context* const outer_context = context_;
  void* const outer_task = task_;
  fp_settings const* const outer_fp = fp_;
  fp_settings const outer_own_fp = own_fp_;
  os::fp_control const fp_words = os::read_fp_control();
  base_ = bottom();
  key_ = running_key(key);
  if (ASHLAR_UNLIKELY(attention_bits() & attention_observe)) {
    run_observed(*this, what);
  } else {
    do {
      what = what->run(what, *this);
    } while (what != nullptr);
  }
  thread_->last_group = reinterpret_cast<std::uintptr_t>(context_);
  base_ = base;
  key_ = outer_key;
  context_ = outer_context;
  task_ = outer_task;
  fp_ = outer_fp;
  own_fp_ = outer_own_fp;
  if (ASHLAR_UNLIKELY(os::read_fp_control() != fp_words)) os::write_fp_control(fp_words);
}

void slot::switch_fp(fp_settings const* wanted) noexcept {
  if (fp_ == nullptr) {
    os::fp_control const own = os::read_fp_control();
    own_fp_ = {own.mxcsr, own.x87};
  }
  fp_settings const& words = wanted != nullptr ? *wanted : own_fp_;
  os::write_fp_control({words.mxcsr, words.x87_control});
  fp_ = wanted;
}

void slot::enqueue(job& what, int priority) { arena_->enqueue(what, priority); }

void slot::offer(job& what, job_key key, bool first) {
  index const at = bottom();
  deque_.push(&what, key | key_reserved);
  if (first) offers_.store(offers_.load(mo::relaxed) + 1, mo::relaxed);
  fence_light();  // [S1]
  std::uint32_t const bits = attention_bits();
  if (bits & attention_observe) attend();
  // Who is awake sees the job before it sleeps, and takes it when it is no longer young.
  if ((bits & attention_wake) == 0) return;
  // Somebody has to watch over the job, lest its owner never comes back to it: the sentinel or a searching thread.
  if (market::get().sentinel.load(mo::relaxed)) return;  // [E2]
  fence_seq_cst();                                       // [H1]
  if (arena_->searching.load(mo::relaxed) == 0) unreserve(at);
}

namespace {

// A job was pushed, and somebody sleeps. While somebody searches, the bit stays: the searcher finds the job, or looks
// again before it goes.
void call_others(slot& s) {
  fence_seq_cst();  // [H1]
  if (s.arena_->searching.load(mo::relaxed) == 0) {
    s.attention_.fetch_and(~static_cast<std::uint32_t>(attention_wake), mo::relaxed);
    market::get().advertise(*s.arena_);
  }
}

}  // namespace

void slot::unreserve(index at) noexcept {
  deque_.rekey(at, (key_ + 1) & ~key_reserved);
  fence_light();  // [S1]
  if (attention_bits() & attention_wake) call_others(*this);
}

bool slot::can_share() const noexcept { return arena_->concurrency() > 1 && market::get().has_workers(); }

unsigned slot::parallelism() const noexcept {
  unsigned const workers = market::get().limit_hint();
  unsigned const slots = arena_->concurrency();
  return slots < workers + 1 ? slots : workers + 1;
}

unsigned slot::helpers() const noexcept {
  unsigned const others = parallelism() - 1;
  int const searching = arena_->searching.load(mo::relaxed);
  unsigned const active = arena_->active.load(mo::relaxed);
  unsigned const absent = active < others ? others - active : 0;
  return std::min(others, absent + static_cast<unsigned>(std::max(searching, 0)));
}

bool slot::check_cancelled(context& c) const noexcept {
  if (context::any_cancelled()) return c.is_cancelled();
  // Nothing is cancelled any more: go back to the fast path. A cancel that comes meanwhile raises the bit after it
  // has counted itself, so one of the two sees the other.
  attention_.fetch_and(~static_cast<std::uint32_t>(attention_cancel), mo::seq_cst);  // [C7]
  if (!context::any_cancelled()) return false;
  attention_.fetch_or(attention_cancel, mo::relaxed);
  return c.is_cancelled();
}

namespace {

// While statistics are on: adds the time from its making, or from go(), until stop() or its end to a counter.
class stopwatch {
 public:
  stopwatch(slot& s, counter what) noexcept : slot_(s), what_(what) { go(); }
  ~stopwatch() { stop(); }
  stopwatch(stopwatch const&) = delete;
  stopwatch& operator=(stopwatch const&) = delete;
  void go() noexcept {
    running_ = slot_.attention_bits() & attention_observe;
    if (ASHLAR_UNLIKELY(running_)) start_ = os::ticks();
  }
  void stop() noexcept {
    if (ASHLAR_UNLIKELY(running_)) slot_.thread_->counters.add(what_, os::ticks() - start_);
    running_ = false;
  }

 private:
  slot& slot_;
  counter const what_;
  bool running_;
  std::uint64_t start_ = 0;
};

// What has priority over the thread's own jobs. A thread in an isolated region, or deep in its stack, leaves that to
// others.
job* pop_urgent(slot& s, job_key& key) noexcept {
  if (ASHLAR_LIKELY((s.attention_bits() & attention_urgent) == 0)) return nullptr;
  if (isolation_of(s.key_) != 0 || s.thread_->stack_half_used()) return nullptr;
  if (policies::get().wait.load(mo::relaxed) != wait_policy::any) return nullptr;
  key = 1;
  return s.arena_->take_urgent(s);
}

job* pop_timed(slot& s, job_key& key) noexcept {
  stopwatch const watch(s, counter::get_task_ticks);
  return s.deque_.pop(key);
}

// Counts the thread as searching for as long as it lives.
class search_episode {
 public:
  explicit search_episode(slot& s) noexcept : arena_(*s.arena_) {}
  ~search_episode() { rest(); }
  void begin() noexcept {
    if (!counted_) arena_.searching.fetch_add(1, mo::relaxed);
    counted_ = answerable_ = true;
  }
  // Not counted until the next begin(), but it still answers for what was left to it. For a thread that gives its
  // processor away: as long as one is counted, each push of the others pays a fence.
  void rest() noexcept {
    if (counted_) arena_.searching.fetch_sub(1, mo::relaxed);
    counted_ = false;
  }
  // True if a job may have been left to the thread.
  bool end() noexcept {
    rest();
    return std::exchange(answerable_, false);
  }
  // The thread turns to something else. If a job was left to it, because it searched or because it was called, another
  // thread is called for it.
  void hand_over(bool called) noexcept {
    if (!end() && !called) return;
    fence_seq_cst();  // [H2]
    if (arena_.has_visible_work()) market::get().pass_on(arena_);
  }

 private:
  arena& arena_;
  bool counted_ = false;
  bool answerable_ = false;
};

// A pause, which a job of the last theft's victim ends: who gave something is likely to give more. Not if that was tiny.
void doze(slot& s) noexcept {
  thread_data& t = *s.thread_;
  unsigned const victim = t.victims.last();
  bool const watch = !t.refused && t.vain_thefts == 0 && victim < s.arena_->slots_in_use();
  for (int i = 0; i < 32; ++i) {
    if (watch && !s.arena_->at(victim).deque_.looks_empty()) {
      // Everything that the theft will touch comes at once and not one line after the other. A loop that is repeated has
      // its first job where it was last time.
      prefetch(reinterpret_cast<void const*>(t.last_stolen));
      prefetch(reinterpret_cast<void const*>(t.last_stolen + cache_line));
      prefetch(reinterpret_cast<void const*>(t.last_group));
      return s.arena_->at(victim).deque_.anticipate();
    }
    cpu_glance();
  }
}

// A longer pause for a thread that has seen a small loop's job, and leaves it alone: each look costs the loop's owner.
void keep_off(idle_state& idle) noexcept {
  constexpr unsigned rounds = 32;
  for (unsigned i = 0; i < 4 * rounds; ++i) cpu_pause();
  idle.skip(rounds);
}

// One step of idling. True if the thread should park.
bool idle_step(idle_state& idle, market& m, slot& s) noexcept {
  switch (idle.next(policies::get().idle.load(mo::relaxed), m.crowded())) {
    case idle_action::pause:
      doze(s);
      return false;
    case idle_action::yield:
      os::yield();
      return false;
    case idle_action::park:
      break;
  }
  return true;
}

search_limits limits_of(slot& s, wait_target const& target) noexcept {
  search_limits limits;
  limits.nested = true;
  limits.waiting = s.key_;
  limits.policy = policies::get().wait.load(mo::relaxed);
  if (limits.policy == wait_policy::any && s.thread_->stack_half_used()) limits.policy = wait_policy::leapfrog;
  if (limits.policy == wait_policy::leapfrog) {
    if (target.thief == nullptr) {
      limits.policy = wait_policy::depth;
    } else {
      limits.only_from = target.thief->load(mo::relaxed);
      // No thief has signed yet, or there is none.
      if (limits.only_from == no_thief) limits.policy = wait_policy::depth;
    }
  }
  return limits;
}

// The last look of a waiter that is about to sleep. Not all work that can be seen is for a restricted thread: it has to
// try, and what is not for it but was left to it while it searched must not wait for it.
bool something_to_do(slot& s, search_limits const& limits, bool restricted, job_key& key, job*& what) noexcept {
  if (!restricted) return s.arena_->has_visible_work();
  what = search_elsewhere(s, limits, key);
  if (what == nullptr && s.arena_->has_visible_work()) market::get().pass_on(*s.arena_);
  return what != nullptr;
}

// Sleeps until the target is reached or, perhaps, new work came. README.md, 'Parking'. Returns work that a restricted
// thread found on its last look. `called`: a job may have been left to the thread, by a call or, if it has not slept,
// because it searched until now.
job* park_waiter(slot& s, wait_target const& target, search_limits const& limits, job_key& key, bool& called) noexcept {
  thread_data& t = *s.thread_;
  called = true;
  bool const restricted = limits.restricted() || limits.only_from != no_thief;
  parking_lot& lot = parking_lot::get();
  lot.enter_waiter(t.bed, *s.arena_, target.address, restricted, s.stacks_);
  if ((target.announce != nullptr && !target.announce(target)) || (s.stacks_ != nullptr && !s.stacks_->announce())) {
    lot.leave(t.bed);
    return nullptr;
  }
  s.arena_->raise(attention_wake);
  os::heavy_fence();  // [S2]
  bool const done = target.done(target) || (s.stacks_ != nullptr && s.stacks_->runnable());
  job* what = nullptr;
  if (done || something_to_do(s, limits, restricted, key, what)) {
    lot.leave(t.bed);
    return what;
  }
  t.counters.add(counter::parks);
  obs::trace(obs::trace_event::park, nullptr);
  t.bed.sleep();
  obs::trace(obs::trace_event::wake, nullptr);
  t.counters.add(counter::wakes);
  called = t.bed.called_for_work();
  return nullptr;
}

}  // namespace

void slot::run_urgent() noexcept {
  job_key key = 0;
  while (job* const what = pop_urgent(*this, key)) run(what, key);
}

namespace {

// A small job that was stolen is over before a search would find another one. False at once if the thread has jobs
// itself, or if its waits are measured.
bool over_soon(slot const& s, wait_target const& target) noexcept {
  if (s.bottom() > s.base_ && !s.deque_.empty()) return false;
  if (ASHLAR_UNLIKELY(s.attention_bits() & attention_observe)) return false;
  for (int i = 0; i < 100; ++i) {
    if (target.done(target)) return true;
    cpu_glance();
  }
  return false;
}

}  // namespace

void slot::attend() {
  std::uint32_t const bits = attention_.load(mo::relaxed);
  stopwatch const watch(*this, counter::spawn_ticks);
  if (bits & attention_observe) {
    thread_->counters.add(counter::spawned);
    note_push(*this);
  }
  if (bits & attention_wake) call_others(*this);
}

void slot::wait(wait_target const& target) noexcept {
  if (over_soon(*this, target)) return;
  idle_state idle;
  search_episode episode(*this);
  bool called = false;  // somebody woke this thread for work that it has not found yet
  stopwatch waiting(*this, counter::wait_ticks);
  obs::trace(obs::trace_event::wait_begin, target.object);
  logged_wait log(thread_->waits, attention_bits() & attention_observe, target.what, target.address);
  while (!target.done(target)) {
    if (ASHLAR_UNLIKELY(stacks_ != nullptr) && target.address != stacks_ && stacks_->runnable()) {
      waiting.stop();
      episode.hand_over(called);
      called = false;
      stacks_->step_aside(target);
      waiting.go();
      continue;
    }
    job_key key = 0;
    job* what = pop_urgent(*this, key);
    if (what == nullptr && bottom() > base_) what = pop_timed(*this, key);
    if (what == nullptr) {
      episode.begin();
      search_limits const limits = limits_of(*this, target);
      what = search_elsewhere(*this, limits, key);
      if (what == nullptr && idle_step(idle, market::get(), *this)) {
        episode.end();
        what = park_waiter(*this, target, limits, key, called);
        idle.reset();
      }
      if (what == nullptr) continue;
    }
    waiting.stop();
    if (episode.end() || called) market::get().pass_on(*arena_);
    called = false;
    idle.reset();
    observe_entry(*arena_, *this);
    log.job_begins();
    run(what, key);
    log.job_ends();
    waiting.go();
  }
  episode.hand_over(called);
  obs::trace(obs::trace_event::wait_end, target.object);
}

void wake_waiters(void const* address) noexcept {
  parking_lot::get().wake_address(address);
  if (ASHLAR_UNLIKELY(!watch_list::get().empty())) watch_list::get().notify(address);
}

namespace {

bool leaves_at_once(arena& a, market& m) noexcept { return a.fast_leave || m.fast_leave.load(mo::relaxed); }

// In a parallel phase, and while small loops that it helps with follow each other, a worker waits longer for work, if
// there is a processor for it.
bool has_patience(arena& a, market& m, small_loop_trial const& trial, std::uint64_t& idle_since) noexcept {
  constexpr std::uint64_t patience = 1'000'000;  // nanoseconds
  if (m.crowded()) return false;
  if (trial.expects_more(os::ticks())) return true;
  if (a.phases.load(mo::relaxed) == 0) return false;
  std::uint64_t const now = os::now_ns();
  if (idle_since == 0) idle_since = now;
  return now - idle_since < patience;
}

// Whether a worker that has found nothing searches on.
bool stays(arena& a, slot& s, search_episode& episode, search_limits const& limits, idle_state& idle,
           std::uint64_t& idle_since) noexcept {
  market& m = market::get();
  if (s.thread_->refused) keep_off(idle);
  m.look_at_load(occupancy::observer::running);
  if (!leaves_at_once(a, m) &&
      (!idle_step(idle, m, s) || has_patience(a, m, s.thread_->small_loops, idle_since)))
    return true;
  // A job that was pushed meanwhile may have been left to this thread.
  episode.end();
  fence_seq_cst();  // [H2]
  return limits.enqueued_only ? a.enqueued.has_jobs() : a.has_visible_work();
}

// A worker that begins to look for work answers for what is pushed from now on: it looks again before it sleeps, and
// calls another one when it turns to something else. So nobody need be called, or asked whether it searches.
void answer_for_all(arena& a) noexcept { a.lower(attention_wake); }  // [H3]

// The worker has found something. Others are called for what may have been left to it; but not for a small loop's sake:
// whoever pushes something else while this thread is busy calls them.
void turn_to_job(arena& a, search_episode& episode, job_key key) noexcept {
  if (!episode.end()) return;
  if (!of_small_loop(key)) return market::get().pass_on(a);
  fence_seq_cst();  // [H2] [H3]
  if (!market::get().others_idle()) return;
  if (a.raise(attention_wake)) os::heavy_fence();  // [S2]
  if (a.has_visible_work()) market::get().pass_on(a);
}

// Works until the worker is recalled (false) or there has been nothing to do for a while (true).
bool serve(arena& a, slot& s) noexcept {
  idle_state idle;
  search_episode episode(s);
  search_limits limits;
  std::uint64_t idle_since = 0;
  bool recalled = false;
  bool fresh = true;
  bool answers = false;
  for (;;) {
    if (ASHLAR_UNLIKELY(s.stacks_ != nullptr) && s.stacks_->outstanding()) {
      // The stacks that were left here go on here.
      episode.hand_over(false);
      s.stacks_->serve_until_done();
      s.base_ = 0;
      continue;
    }
    // Recalled: what it leaves undone is in other deques, where those who stay find it. Who has come looks once.
    recalled = !fresh && a.active.load(mo::relaxed) > a.allotted.load(mo::relaxed) && s.deque_.empty();
    if (recalled) break;
    fresh = false;
    job_key key = 0;
    job* what = pop_urgent(s, key);
    if (what == nullptr && s.bottom() > 0 && !s.deque_.empty()) what = pop_timed(s, key);
    if (what == nullptr) {
      limits.enqueued_only = a.for_enqueued_only(s.index_);
      // Nobody may leave other jobs to a worker that is there for enqueued ones.
      if (!limits.enqueued_only) {
        episode.begin();
        if (!std::exchange(answers, true)) answer_for_all(a);
      }
      what = search_elsewhere(s, limits, key);
      if (what == nullptr) {
        if (stays(a, s, episode, limits, idle, idle_since)) continue;
        break;
      }
    }
    turn_to_job(a, episode, key);
    idle.reset();
    idle_since = 0;
    observe_entry(a, s);
    s.state_.store(seat_of_busy_worker, mo::relaxed);
    s.run(what, key);
    s.state_.store(seat_of_idle_worker, mo::relaxed);
  }
  episode.hand_over(false);
  return !recalled;
}

}  // namespace

// A worker's stay in an arena. True if it ended for want of work.
bool work_in(arena& a, thread_data& t) noexcept {
  slot* const seat = a.occupy(t, true);
  bool out_of_work = true;
  if (seat != nullptr) {
    current_slot = seat;
    obs::trace(obs::trace_event::seat, seat);
    if (ASHLAR_UNLIKELY(a.bound())) a.bind(t);
    os::write_fp_control({a.fp.mxcsr, a.fp.x87_control});
    observe_entry(a, *seat);
    out_of_work = serve(a, *seat);
    observe_exit(*seat);
    current_slot = nullptr;
    obs::trace(obs::trace_event::seat, nullptr);
    if (ASHLAR_UNLIKELY(a.bound())) arena::unbind(t, nullptr);
    arena::vacate(*seat);
  }
  market::get().leave(a, out_of_work);
  return out_of_work;
}

}  // namespace ashlar::sched
