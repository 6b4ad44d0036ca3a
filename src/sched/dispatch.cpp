// SPDX-License-Identifier: Apache-2.0
// Running jobs and waiting: what a thread does between the fast paths.
#include <ashlar/sched/fork_join.h>

#include "os/clock.h"
#include "os/fp_control.h"
#include "os/membarrier.h"
#include "os/thread.h"
#include "sched/market.h"
#include "sched/search.h"
#include "sched/worker.h"

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
  key_ = key;
  std::uint64_t executed = 0;
  do {
    what = what->run(what, *this);
    ++executed;
  } while (what != nullptr);
  if (ASHLAR_UNLIKELY(attention_bits() & attention_observe)) thread_->counters.add(counter::executed, executed);
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

void slot::attend() {
  std::uint32_t const bits = attention_.load(mo::relaxed);
  if (bits & attention_observe) thread_->counters.add(counter::spawned);
  // While somebody searches, the job will be found, and the searcher re-arms before it sleeps: the bit stays.
  if ((bits & attention_wake) && arena_->searching.load(mo::relaxed) == 0) {
    attention_.fetch_and(~static_cast<std::uint32_t>(attention_wake), mo::relaxed);
    market::get().advertise(*arena_);
  }
}

void slot::enqueue(job& what, int priority) {
  arena_->enqueued.push(what, priority);
  market::get().advertise(*arena_);
}

void slot::offer(job& what, job_key key) {
  index const at = bottom();
  deque_.push(&what, key | key_reserved);
  offers_.store(offers_.load(mo::relaxed) + 1, mo::relaxed);
  fence_light();  // [S1]
  if (attention_bits() & attention_observe) attend();
  // Somebody has to watch over the job, lest its owner never comes back to it: a searching thread or the sentinel.
  if (arena_->searching.load(mo::relaxed) == 0 && !market::get().sentinel.load(mo::relaxed)) unreserve(at);  // [E2]
}

void slot::unreserve(index at) noexcept {
  deque_.rekey(at, (key_ + 1) & ~key_reserved);
  fence_light();  // [S1]
  if (attention_bits() != 0) attend();
}

bool slot::can_share() const noexcept { return arena_->concurrency() > 1 && market::get().has_workers(); }

unsigned slot::parallelism() const noexcept {
  unsigned const workers = market::get().limit_hint();
  unsigned const slots = arena_->concurrency();
  return slots < workers + 1 ? slots : workers + 1;
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

// Counts the thread as searching for as long as it lives.
class search_episode {
 public:
  explicit search_episode(slot& s) noexcept : arena_(*s.arena_) {}
  ~search_episode() { end(); }
  void begin() noexcept {
    if (!searching_) arena_.searching.fetch_add(1, mo::relaxed);
    searching_ = true;
  }
  bool end() noexcept {
    bool const was = searching_;
    if (was) arena_.searching.fetch_sub(1, mo::relaxed);
    searching_ = false;
    return was;
  }

 private:
  arena& arena_;
  bool searching_ = false;
};

// One step of idling. True if the thread should park.
bool idle_step(idle_state& idle, market& m) noexcept {
  switch (idle.next(policies::get().idle.load(mo::relaxed), m.crowded())) {
    case idle_action::pause:
      for (int i = 0; i < 4; ++i) cpu_pause();
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

// Sleeps until the target is reached or, perhaps, new work came. README.md, 'Parking'.
void park_waiter(slot& s, wait_target const& target, bool restricted) noexcept {
  thread_data& t = *s.thread_;
  parking_lot& lot = parking_lot::get();
  lot.enter_waiter(t.bed, *s.arena_, target.address, restricted);
  if (target.announce != nullptr && !target.announce(target)) {
    lot.leave(t.bed);
    return;
  }
  s.arena_->raise(attention_wake);
  os::heavy_fence();  // [S2]
  if (target.done(target) || (!restricted && s.arena_->has_visible_work())) {
    lot.leave(t.bed);
    return;
  }
  t.counters.add(counter::parks);
  t.bed.sleep();
  t.counters.add(counter::wakes);
}

}  // namespace

void slot::wait(wait_target const& target) noexcept {
  idle_state idle;
  search_episode episode(*this);
  bool const timed = attention_bits() & attention_observe;
  std::uint64_t const start = timed ? os::ticks() : 0;
  while (!target.done(target)) {
    job_key key = 0;
    job* what = nullptr;
    if (bottom() > base_) what = deque_.pop(key);
    if (what == nullptr) {
      episode.begin();
      search_limits const limits = limits_of(*this, target);
      what = search_elsewhere(*this, limits, key);
      if (what == nullptr) {
        if (idle_step(idle, market::get())) {
          episode.end();
          park_waiter(*this, target, limits.restricted() || limits.only_from != no_thief);
          idle.reset();
        }
        continue;
      }
    }
    if (episode.end()) market::get().pass_on(*arena_);
    idle.reset();
    run(what, key & ~key_reserved);
  }
  if (timed) thread_->counters.add(counter::wait_ticks, os::ticks() - start);
}

void wake_waiters(void const* address) noexcept { parking_lot::get().wake_address(address); }

// A worker's stay in an arena: until it is recalled or there has been nothing to do for a while.
void work_in(arena& a, thread_data& t) noexcept {
  slot* const seat = a.occupy(t);
  bool out_of_work = true;
  if (seat != nullptr) {
    current_slot = seat;
    slot& s = *seat;
    os::write_fp_control({a.fp.mxcsr, a.fp.x87_control});
    idle_state idle;
    search_episode episode(s);
    market& m = market::get();
    search_limits const limits;
    for (;;) {
      if (a.active.load(mo::relaxed) > a.allotted.load(mo::relaxed) && s.deque_.empty()) {
        // Recalled. What it leaves undone is in other deques, where those who stay find it.
        out_of_work = false;
        break;
      }
      job_key key = 0;
      job* what = s.bottom() > 0 && !s.deque_.empty() ? s.deque_.pop(key) : nullptr;
      if (what == nullptr) {
        episode.begin();
        what = search_elsewhere(s, limits, key);
        if (what == nullptr) {
          if (idle_step(idle, m)) break;
          continue;
        }
      }
      if (episode.end()) m.pass_on(a);
      idle.reset();
      s.run(what, key & ~key_reserved);
    }
    episode.end();
    current_slot = nullptr;
    arena::vacate(s);
  }
  market::get().leave(a, out_of_work);
}

}  // namespace ashlar::sched
