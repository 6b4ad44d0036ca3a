// SPDX-License-Identifier: Apache-2.0
// Running jobs and waiting: what a thread does between the fast paths.
#include <ashlar/sched/core/fork_join.h>
#include <ashlar/sched/core/words_scope.h>

#include "os/clock.h"
#include "os/fp_control.h"
#include "os/membarrier.h"
#include "os/thread.h"
#include "sched/arena/dispatch.h"
#include "sched/arena/left_to_workers.h"
#include "sched/arena/observers.h"
#include "sched/arena/restricted_sleep.h"
#include "sched/arena/search.h"
#include "sched/arena/search_episode.h"
#include "sched/arena/stack_set.h"
#include "sched/core/observed.h"
#include "sched/core/rest.h"
#include "sched/core/stopwatch.h"
#include "sched/core/worker_source.h"
#include "sched/policy/policies.h"

#include <algorithm>
#include <utility>

namespace ashlar::inline v1::sched {

using obs::counter;

void slot::run(job* what, job_key key) noexcept {
  running_task const outer = running_;
  os::fp_control const fp_words = os::read_fp_control();
  keep_jobs();
  take_key(key);
  if (ASHLAR_UNLIKELY(attention_bits() & attention_observe)) {
    run_observed(*this, what);
  } else {
    do {
      what = what->run(what, *this);
    } while (what != nullptr);
  }
  go_back_to(outer);
  if (ASHLAR_UNLIKELY(os::read_fp_control() != fp_words)) os::write_fp_control(fp_words);
}

void slot::run_outermost(job* what, job_key key) noexcept {
  state_.store(occupied_by_busy_worker, mo::relaxed);
  thread_->outermost_base = bottom();
  run(what, key);
  state_.store(occupied_by_idle_worker, mo::relaxed);
}

namespace {

// A job that has priority over the thread's own jobs. A thread in an isolated region, or deep in its stack, leaves such
// jobs to others.
job* pop_urgent(slot& s, job_key& key) noexcept {
  if (ASHLAR_LIKELY((s.attention_bits() & attention_urgent) == 0)) return nullptr;
  if (s.isolation() != 0 || s.thread().stack_half_used()) return nullptr;
  if (policies::get().wait.load(mo::relaxed) != wait_policy::any) return nullptr;
  key = 1;
  return s.home().take_urgent(s);
}

// An urgent job, or the newest of the running task's own.
job* pop_own(slot& s, job_key& key) noexcept {
  job* const urgent = pop_urgent(s, key);
  if (urgent != nullptr || !s.has_spawned()) return urgent;
  stopwatch const watch(s, counter::get_task_ticks);
  return s.pop(key);
}

// None in a model, where a pause waits for a change.
void idle_pause() noexcept {
  for (unsigned i = 1; i < looks_at_most(8); ++i) cpu_pause();
}

// A longer pause for a thread that has seen a small loop's job, and leaves it alone: each look costs the loop's owner.
void back_off_from_small_loop(idle_state& idle) noexcept {
  constexpr unsigned rounds = 32;
  for (unsigned i = 0; i < 4 * rounds; ++i) cpu_pause();
  idle.skip(rounds);
}

// A longer pause for a worker whose last thefts were not worth it: its looks alone cost a victim as much as thefts.
void back_off_from_victims(idle_state& idle, thread_data const& t) noexcept {
  idle.skip(pause_before_theft(t, theft_memory::longest_pause_ns) / idle_state::round_ns);
}

// In ticks. A thread whose last pause was shorter stays awake for so long before it sleeps; in a parallel phase
// (task_arena::start_parallel_phase) a worker does for twice as long, as oneTBB's.
std::uint64_t short_pause() noexcept { return os::tuned.ticks_of_us(os::short_pause_us); }

void end_pause(thread_data& t) noexcept { t.pauses.end(os::ticks(), short_pause()); }

// One step of idling. True if the thread should park. `phase`: the thread is a worker in a parallel phase. A thread
// that spins where waits fill the processors holds back the one that has work: three application threads that waited
// for one group took 90 us for each, and take 15 (two processors).
bool idle_step(idle_state& idle, worker_source& m, slot& s, bool phase = false) noexcept {
  pause_memory& pauses = s.thread().pauses;
  pauses.begin(os::ticks());
  idle_policy const policy = policies::get().idle.load(mo::relaxed);
  switch (idle.next(policy, m.crowded() || m.waits_fill_processors())) {
    case idle_action::pause:
      idle_pause();
      return false;
    case idle_action::yield:
      os::yield();
      return false;
    case idle_action::park:
      break;
  }
  std::uint64_t const now = os::ticks();
  bool const awake = (phase && pauses.within(now, 2 * short_pause())) || pauses.keeps_awake(policy, now, short_pause());
  if (!awake || m.crowded()) return true;
  // The thread stays awake for longer than a wake-up takes. So a thread that waits for a processor meanwhile, perhaps
  // the one that work is to come from, has it first. Without this OpenVINO's requests beside other processes took 1.6
  // to 1.9 times as long (oneTBB yields, too).
  os::yield();
  idle_pause();
  return false;
}

search_limits limits_of(slot& s, wait_target const& target) noexcept {
  wait_policy policy = policies::get().wait.load(mo::relaxed);
  if (policy == wait_policy::any && s.thread().stack_half_used()) policy = wait_policy::leapfrog;
  static_assert(no_thief == search_limits::anybody);  // no thief has signed yet, or there is none
  return search_limits::of_waiter(policy, s.key(),
                                  target.thief != nullptr ? target.thief->load(mo::relaxed) : no_thief);
}

// The last look of a thread that may take some jobs only. Work that was left to this thread, but that it may not take,
// must not wait for it.
job* last_look(slot& s, search_limits const& limits, own_jobs const* own, job_key& key) noexcept {
  job* what = search_elsewhere(s, limits, key);
  if (what == nullptr) what = dig_for_work(s, limits, own, key);
  if (what == nullptr && s.home().has_visible_work()) worker_source::get().pass_on(s.home());
  return what;
}

// A wait's thread is counted while it looks around for longer than a moment.
class looking_waiter {
 public:
  looking_waiter() noexcept = default;
  looking_waiter(looking_waiter const&) = delete;
  looking_waiter& operator=(looking_waiter const&) = delete;
  ~looking_waiter() { end(); }
  void begin() noexcept {
    if (!std::exchange(counted_, true)) worker_source::get().begin_looking();
  }
  void end() noexcept {
    if (std::exchange(counted_, false)) worker_source::get().end_looking();
  }

 private:
  bool counted_ = false;
};

// What a waiting thread has to do with others while it searches and sleeps.
struct waiting_thread {
  waiting_thread(slot& s, wait_target const& target, bool in_function) noexcept
      : episode(s, searcher::waiter), nap(target.only != nullptr), left(in_function), digs(target.only != nullptr) {}
  // The thread stops searching, and goes on with something else.
  void hand_over() noexcept { episode.hand_over(std::exchange(called, false)); }

  search_episode episode;
  restricted_sleep nap;
  idle_state idle;
  looking_waiter looking;
  left_to_workers left;
  bool called = false;  // somebody woke it for work that it has not found yet
  bool turn = false;    // of other stacks, which may be allowed to take what this one has to leave
  bool digs;            // for own jobs: what it found last was one
};

// Announces the sleep; false if there is nothing to wait for.
bool announce(slot& s, wait_target const& target) noexcept {
  return target.announce() && (s.stacks() == nullptr || s.stacks()->announce());
}

bool reached(slot& s, wait_target const& target) noexcept {
  return target.done() || (s.stacks() != nullptr && s.stacks()->runnable());
}

void sleep_as_waiter(thread_data& t, waiting_thread& w, bool restricted) noexcept {
  t.counters.add(counter::parks);
  obs::trace(obs::trace_event::park, nullptr);
  bool woken = true;
  if (!restricted) {
    rest(t).sleep();
  } else {
    std::uint64_t const length = w.nap.length();
    woken = w.nap(t.parking);
    woken ? rest(t).end() : rest(t).has_slept(length);
  }
  w.called = !woken || t.parking.called_for_work();
  obs::trace(obs::trace_event::wake, nullptr);
  t.counters.add(counter::wakes);
}

// Sleeps until the target is reached or, perhaps, new work came. README.md, 'Parking'. Returns work that a restricted
// thread found on its last look. A job may have been left to the thread by a call or, if it has not slept, because it
// searched until now.
job* park_waiter(slot& s, wait_target const& target, search_limits const& limits, waiting_thread& w,
                 job_key& key) noexcept {
  thread_data& t = s.thread();
  w.called = true;
  bool const restricted = limits.restricted();
  parking_lot& lot = parking_lot::get();
  lot.enter_waiter(t.parking, s.home(), target.address, restricted);
  if (s.stacks() != nullptr) s.stacks()->enter(t.parking);
  bool work = false;
  job* what = nullptr;
  bool const announced = announce(s, target);
  if (announced && restricted) {
    s.home().arm();
    what = last_look(s, limits, target.only, key);
    w.digs = what != nullptr && target.only != nullptr;
  } else if (announced && w.episode.end_to_sleep()) {
    work = s.home().arm();
  }
  if (!announced || what != nullptr || work || reached(s, target)) {
    lot.leave(t.parking);
    return what;
  }
  bool const beside_stacks = s.stacks() != nullptr;
  if (beside_stacks) s.home().sleeping_beside_stacks.fetch_add(1, mo::relaxed);
  sleep_as_waiter(t, w, restricted);
  if (beside_stacks) s.home().sleeping_beside_stacks.fetch_sub(1, mo::relaxed);
  return nullptr;
}

// A thread has found a job after a search. It calls others if there is more where the job was, so that the threads wake
// each other in a tree, and if nobody else searches any more: jobs may have been left to this thread. Parts of what it
// has found are offered first.
void turn_to_job(slot& s, search_episode& episode, bool called, job_key key) noexcept {
  arena& a = s.home();
  s.thread().refused_mail_since = 0;
  bool const owed = episode.end() || called;
  worker_source& m = worker_source::get();
  if (of_small_loop(key)) {
    // Nobody is called for a small loop's sake: whoever pushes something else while this thread is busy calls them.
    if (!owed) return;
    fence_seq_cst();  // [H2]
    if (!m.others_idle()) return;
    if (a.raise(attention_wake)) os::heavy_fence();  // [S2]
    if (a.has_visible_work()) m.pass_on(a);
    return;
  }
  unsigned const more = std::exchange(s.thread().more_to_steal, 0u);
  unsigned const calls = wake_rule::calls_for_find(owed, more);
  if (calls != 0) is_halved(key) ? s.call_later(calls) : m.pass_on(a, calls);
}

}  // namespace

void slot::run_urgent() noexcept {
  job_key key = 0;
  while (job* const what = pop_urgent(*this, key)) run(what, key);
}

bool slot::run_urgent_unless_recalled() noexcept {
  if (recalled()) return true;
  run_urgent();
  return false;
}

bool slot::run_newest_specially() noexcept {
  run_urgent();
  job_key key;
  job* const what = pop(key);
  if (what == nullptr) return false;
  run(what, key);
  return true;
}

namespace {

// A small job that was stolen is over before a search would find another one. False at once if the thread has jobs
// itself, or if its waits are measured.
bool over_soon(slot& s, wait_target const& target) noexcept {
  if (s.has_spawned() && s.has_jobs()) return false;
  if (ASHLAR_UNLIKELY(s.attention_bits() & attention_observe)) return false;
  for (unsigned i = 0; i < looks_at_most(25); ++i) {
    if (i != 0) cpu_pause();
    if (target.done()) return true;
  }
  return false;
}

// A waiting thread leaves a small loop's job alone, and its owner, too.
void glance_back(wait_target const& target) noexcept {
  for (unsigned i = 0; i < looks_at_most(32) && !target.done(); ++i) cpu_pause();
}

// One search of a waiting thread, or its sleep. Null if the thread has found nothing yet.
job* look_elsewhere(slot& s, wait_target const& target, waiting_thread& w, job_key& key) noexcept {
  search_limits limits = limits_of(s, target);
  // A job that was enqueued has nothing to do with this wait, and may take long.
  limits.enqueued_too = w.idle.for_long();
  w.left.limit(limits);
  // Nobody may leave jobs to a thread that takes only some.
  if (!limits.restricted()) {
    w.episode.begin();
  } else {
    w.hand_over();
  }
  if (ASHLAR_UNLIKELY(s.stacks() != nullptr) && s.stacks()->leaves_job_to_others()) {
    os::yield();
    return nullptr;
  }
  job* what = search_elsewhere(s, limits, key);
  if (what == nullptr && w.digs) {
    what = dig_for_work(s, limits, target.only, key);
    w.digs = what != nullptr;
  }
  if (w.left.after_search(s, limits, what != nullptr) || what != nullptr) return what;
  if (s.thread().refused) glance_back(target);
  if (w.idle.for_a_while()) w.looking.begin();
  if (!idle_step(w.idle, worker_source::get(), s)) return nullptr;
  w.looking.end();
  what = park_waiter(s, target, limits, w, key);
  w.idle.reset();
  w.turn = limits.restricted();
  return what;
}

// Lays the job where others find it. False if there is no memory for that, or if the job came from the queue and is no
// ordinary one (a call, or of another priority): no task that a task's end starts is such a job.
bool give_back(slot& s, job& what, job_key key) noexcept {
  try {
    switch (s.thread().found) {
      case job_place::deque:
        spawn_again(s, what, respawned_key(key));
        return true;
      case job_place::queue:
        s.home().enqueue(what, 1);
        return true;
      case job_place::elsewhere:
        break;
    }
  } catch (std::bad_alloc const&) {
  }
  return false;
}

// True if the target was reached while the thread took the job, and the job is for others now. What reached the target
// may have started the job, and the job may wait for the thread. A target without an address comes and goes: an arena
// is empty while the thread has its last job in hand, which the thread then runs.
bool came_too_late(slot& s, wait_target const& target, job& what, job_key key) noexcept {
  return target.address != nullptr && target.done() && give_back(s, what, key);
}

}  // namespace

void slot::wait(wait_target const& target) noexcept {
  if (over_soon(*this, target)) return;
  words_scope const words(*this);
  call_others();  // where a splitting constructor waits
  waiting_thread w(*this, target, in_function_);
  stopwatch waiting(*this, counter::wait_ticks);
  obs::trace(obs::trace_event::wait_begin, target.subject);
  logged_wait log(thread_->waits, attention_bits() & attention_observe, target.what, target.address);
  while (!target.done()) {
    if (ASHLAR_UNLIKELY(stacks_ != nullptr) && stacks_->wanted_aside(target, w.turn)) {
      waiting.stop();
      w.hand_over();
      w.looking.end();
      stacks_->step_aside(target);
      waiting.go();
      w.turn = false;
      continue;
    }
    job_key key = 0;
    job* what = pop_own(*this, key);
    if (what == nullptr) {
      what = look_elsewhere(*this, target, w, key);
      if (what == nullptr || came_too_late(*this, target, *what, key)) continue;
    }
    waiting.stop();
    w.looking.end();
    rest(*thread_).end();
    turn_to_job(*this, w.episode, std::exchange(w.called, false), key);
    w.idle.reset();
    end_pause(*thread_);
    observe_entry(*arena_, *this);
    log.job_begins();
    run(what, key);
    log.job_ends();
    waiting.go();
  }
  w.hand_over();
  rest(*thread_).end();
  end_pause(*thread_);
  obs::trace(obs::trace_event::wait_end, target.subject);
}

namespace {

bool leaves_at_once(arena& a, thread_data const& t, worker_source& m) noexcept {
  return a.fast_leave || m.leaves_fast() || t.deputy_in != nullptr;
}

// A recalled worker leaves its jobs to those who stay. A worker that has just come looks once all the same, if it is no
// deputy.
bool is_recalled_from(arena& a, thread_data const& t, bool fresh) noexcept {
  if (!fresh && a.active.load(mo::relaxed) > a.allotted.load(mo::relaxed)) return true;
  return ASHLAR_UNLIKELY(t.deputy_in != nullptr) && worker_source::get().recalls_deputy(a);
}

// Whether a worker that has found nothing searches on. It doesn't where another arena wants workers: with some idle
// policies it would search for ever.
bool stays(arena& a, slot& s, search_limits const& limits, idle_state& idle) noexcept {
  worker_source& m = worker_source::get();
  if (s.thread().refused) back_off_from_small_loop(idle);
  if (!m.crowded()) back_off_from_victims(idle, s.thread());
  m.look_at_load();
  bool const nobody_pushes = a.abandoned.load(mo::relaxed);
  if (m.wanted_elsewhere(a) && (nobody_pushes || idle.for_a_while()) && !a.has_visible_work()) return false;
  if (!leaves_at_once(a, s.thread(), m) && !idle_step(idle, m, s, a.phases.load(mo::relaxed) != 0)) return true;
  return limits.enqueued_only ? a.enqueued.has_jobs() : a.has_visible_work();
}

}  // namespace

bool serve(arena& a, slot& s, bool& searching) noexcept {
  idle_state idle;
  search_episode episode(s, searcher::worker);
  search_limits limits;
  bool recalled = false;
  bool fresh = true;
  for (;;) {
    if (ASHLAR_UNLIKELY(s.stacks() != nullptr) && s.stacks()->outstanding()) {
      // The stacks that were left in this slot go on here.
      episode.hand_over(false);
      s.stacks()->serve_until_done();
      s.begin_outermost(0);
      continue;
    }
    recalled = is_recalled_from(a, s.thread(), fresh);
    if (recalled) break;
    fresh = false;
    job_key key = 0;
    job* what = s.has_jobs() ? pop_own(s, key) : pop_urgent(s, key);
    if (what == nullptr) {
      limits.enqueued_only = a.for_enqueued_only(s.position());
      // Nobody may leave other jobs to a worker that is there for enqueued jobs.
      if (!limits.enqueued_only) episode.begin();
      what = search_elsewhere(s, limits, key);
      if (what == nullptr) {
        if (stays(a, s, limits, idle)) continue;
        break;
      }
    }
    turn_to_job(s, episode, false, key);
    idle.reset();
    end_pause(s.thread());
    observe_entry(a, s);
    s.run_outermost(what, key);
  }
  searching = episode.take_along();
  if (recalled && s.has_jobs()) worker_source::get().advertise(a);
  return !recalled;
}

}  // namespace ashlar::inline v1::sched
