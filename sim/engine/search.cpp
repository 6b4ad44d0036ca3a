// SPDX-License-Identifier: Apache-2.0
// Thieves: the choice of a victim, the look at its deque, conflicts, and what an empty round leads to.
#include "engine/run.h"
#include "engine/view.h"

#include "sched/policy/lost_theft.h"

#include <algorithm>

namespace ashlar::sim {

bool run::single_probe_rounds() const noexcept {
  return tbb41() &&
         (options_.victim.is(sched::victim_policy::random) || options_.victim.is(sched::victim_policy::tbb41));
}

// After five steps of back-off TBB 4.1's pseudo-random policy turns to the next victim.
bool run::leaves_locked() const noexcept {
  victim_choice const& c = options_.victim;
  return c.is(sched::victim_policy::pseudo_random) || (c.is(sched::victim_policy::hybrid) && workers_.size() <= 8);
}

// The paper's hybrid has the log, too, where it goes by occupancy.
bool run::keeps_log() const noexcept {
  victim_choice const& c = options_.victim;
  return c.kind == victim_kind::logged || (tbb41() && c.is(sched::victim_policy::hybrid) && workers_.size() > 8);
}

// The library's rule, for a worker that waits. The thief is the last one who took a child of the waiting task.
sched::search_limits run::limits_of(worker const& x) const noexcept {
  static_assert(task_record::nobody == sched::search_limits::anybody && none == sched::search_limits::anybody);
  auto const policy = options_.wait == wait_rule::leapfrog ? sched::wait_policy::leapfrog
                      : options_.wait == wait_rule::depth  ? sched::wait_policy::depth
                                                           : sched::wait_policy::any;
  task_record const& waiting = *x.frames.back().task;
  bool const own = waiting.thief != task_record::nobody && &workers_[waiting.thief] == &x;
  return sched::search_limits::of_waiter(policy, waiting.depth, own ? task_record::nobody : waiting.thief);
}

// Whom a leapfrogging waiter may rob; none: it goes by depth, or by another rule.
unsigned run::leapfrog_victim(worker const& x) const noexcept {
  if (options_.wait != wait_rule::leapfrog || x.frames.empty()) return none;
  return limits_of(x).only_from;
}

bool run::rule_allows(worker const& x, task_record const* offered) const noexcept {
  return limits_of(x).allow(offered->depth);
}

void run::begin_search(unsigned w) {
  worker& x = workers_[w];
  x.refused = false;
  // Nobody may leave tasks to a worker that takes only some.
  if (!x.searching && (x.frames.empty() || !limits_of(x).restricted())) {
    x.searching = true;
    x.counted_as = x.frames.empty() ? sched::searcher::worker : sched::searcher::waiter;
    searching_ += static_cast<std::uint32_t>(x.counted_as);
  }
  if (!tbb41() && x.past_thefts.done(now_)) {
    if (picoseconds const pause = theft_pause(x); pause != 0) return until(w, activity::pausing, pause);
  }
  next_victim(w);
}

// How long a worker whose last thefts were not worth it leaves the others alone.
picoseconds run::theft_pause(worker const& x) const noexcept {
  unsigned const longest =
      x.frames.empty() ? sched::theft_memory::longest_pause_ns : sched::theft_memory::longest_pause_of_waiter_ns;
  return std::min(x.past_thefts.pause_ns(), longest) * nanosecond;
}

void run::next_victim(unsigned w) {
  worker& x = workers_[w];
  unsigned scans = 0;
  unsigned v = leapfrog_victim(x);
  if (v == none) v = x.victims.next(options_.victim, view{*this, w, scans});
  picoseconds cost = machine_.costs.choose;
  switch (options_.victim.kind) {
    case victim_kind::oracle:
      cost = 0;
      break;
    case victim_kind::scan1:
    case victim_kind::steal1:
      cost = machine_.costs.cycle;
      break;
    default:
      cost += scans * machine_.costs.scan_entry;
  }
  if (v == none && scans == 0) return end_round(w);
  x.doing = mode::probing;
  x.victim = v;
  x.attempt = 0;
  x.failing_before = x.times[static_cast<std::size_t>(activity::failing)];
  if (v != none) {
    ++workers_[v].crowd;
    cost += look_at(w, v);
  }
  until(w, activity::failing, cost);
}

// The time until the thief knows how the deque was.
picoseconds run::look_at(unsigned w, unsigned v) {
  worker& y = workers_[v];
  picoseconds const probe = machine_.costs.probe;
  if (seen(w, v) == versions_[v]) return probe;
  seen(w, v) = versions_[v];
  y.reader = w;
  picoseconds const start = std::max(now_, y.line_until);
  y.line_until = start + machine_.line_busy;
  return start - now_ + where_.line(w, v) + probe;
}

// The thief has arrived at its victim, or at the end of a vain scan.
void run::probe(unsigned w) {
  worker& x = workers_[w];
  if (x.victim == none) {
    ++result_.failed_steals;
    // A scan tells as much as a failure at each victim.
    if (tbb41()) {
      for (std::size_t i = 1; i < workers_.size(); ++i) x.action = x.idle.next(options_.idle, false);
    }
    return end_round(w);
  }
  worker& y = workers_[x.victim];
  --y.crowd;
  if (y.deque.empty()) return failed(w);
  if (!may_take(x, y.deque.oldest())) {
    x.refused = true;
    return failed(w);
  }
  if (y.busy_until > now_ && options_.victim.kind != victim_kind::steal1) return conflict(w, y);
  if (open_more(w, y)) return;
  take(w, y);
}

// True if the thief has to open more of the deque first: half of it.
bool run::open_more(unsigned w, worker& victim) {
  if (tbb41() || victim.deque.front() < victim.open || machine_.costs.fence == 0) return false;
  victim.open = victim.deque.front() + 1 + (victim.deque.size() - 1) / 2;
  victim.owed += machine_.costs.fence_hit;
  ++victim.crowd;
  until(w, activity::failing, machine_.costs.fence);
  return true;
}

void run::conflict(unsigned w, worker& victim) {
  worker& x = workers_[w];
  ++result_.conflicts;
  x.past_thefts.failed();
  if (!tbb41()) return leapfrog_victim(x) != none ? end_round(w) : next_victim(w);
  unsigned const pauses = sched::lost_theft::pauses(x.attempt++);
  if (pauses == 0 && leaves_locked()) return failed(w);
  ++victim.crowd;
  picoseconds const wait = pauses == 0 ? machine_.costs.yield : pauses * machine_.costs.back_off;
  result_.lock_waits += wait;
  until(w, activity::pausing, wait);
}

void run::take(unsigned w, worker& victim) {
  worker& x = workers_[w];
  unsigned const v = x.victim;
  bool const free = options_.victim.kind == victim_kind::steal1;
  std::size_t const size = victim.deque.size();
  std::size_t const count = options_.victim.half && size >= 4 ? size / 2 : 1;
  ++result_.steals;
  result_.stolen_tasks += count;
  victim.busy_until = free ? now_ : now_ + machine_.costs.steal_hold;
  seen(w, v) = ++versions_[v];
  victim.reader = w;
  x.victims.stolen(v);
  auto const next = [&] {
    task_record* const r = victim.deque.take();
    r->parent->thief = w;
    return r;
  };
  // The look was part of the theft.
  auto& failing = x.times[static_cast<std::size_t>(activity::failing)];
  x.times[static_cast<std::size_t>(activity::stealing)] += failing - x.failing_before;
  failing = x.failing_before;
  --visible_;
  begin_task(w, next());
  for (std::size_t i = 1; i < count; ++i) x.deque.push(next());
  if (count > 1) ++versions_[w];
  x.left = sched::wake_rule::left_for_others(static_cast<long>(victim.deque.size()));
  picoseconds const line = where_.line(w, v);
  picoseconds const lines = machine_.costs.steal + line - std::min(line, machine_.line_ahead) +
                            (std::exchange(victim.robbed, true) ? 0 : machine_.costs.first_theft);
  picoseconds const cost = free ? machine_.costs.cycle : lines + (count - 1) * machine_.costs.pop + count * log_;
  result_.taking += cost;
  x.past_thefts.stolen(now_ + cost, x.left == 0);
  until(w, activity::stealing, cost + stop_search(w));
}

void run::failed(unsigned w) {
  worker& x = workers_[w];
  ++result_.failed_steals;
  if (tbb41()) x.action = x.idle.next(options_.idle, false);
  if (single_probe_rounds() || leapfrog_victim(x) != none) return end_round(w);
  next_victim(w);
}

void run::end_round(unsigned w) {
  worker& x = workers_[w];
  x.doing = mode::seeking;
  if (resume_frame(w) || take_own_oldest(w)) return;
  look_at_group(w);
  x.pauses.begin(now_);
  idle_step const step = next_idle_step(x, x.idle, now_);
  if (step.parks && park(w)) return;
  if (may_coast_ && !step.parks && coast(w, step)) return;
  until(w, activity::pausing, jittered(step.parks ? machine_.costs.pause : step.pause));
}

run::idle_step run::next_idle_step(worker const& x, sched::idle_state& idle, picoseconds now) const noexcept {
  if (tbb41()) {
    bool const yields = x.action == sched::idle_action::yield;
    return {x.action == sched::idle_action::park, yields ? machine_.costs.yield : machine_.costs.pause, 0};
  }
  idle_step step;
  // Its looks alone cost a victim as much as thefts.
  if (x.frames.empty()) {
    step.pause = theft_pause(x);
    step.rounds = static_cast<unsigned>(step.pause / nanosecond) / sched::idle_state::round_ns;
    idle.skip(step.rounds);
  }
  ++step.rounds;
  switch (idle.next(options_.idle, false)) {
    case sched::idle_action::pause:
      step.pause += machine_.costs.pause;
      break;
    case sched::idle_action::yield:
      step.pause += machine_.costs.yield;
      break;
    case sched::idle_action::park:
      step.parks = !x.pauses.keeps_awake(options_.idle, now + step.pause, short_pause);
      step.pause += machine_.costs.yield + machine_.costs.pause;
      if (step.pause == 0) step.parks = true;  // on a machine on which waiting takes no time it would never end
      break;
  }
  return step;
}

// A waiting worker's own older tasks lie below its wait: it takes them as a thief would, the oldest first.
bool run::take_own_oldest(unsigned w) {
  worker& x = workers_[w];
  if (tbb41() || x.frames.empty() || x.deque.empty() || leapfrog_victim(x) != none) return false;
  if (!may_take(x, x.deque.oldest())) return false;
  --visible_;
  begin_task(w, x.deque.take());
  picoseconds const cost = machine_.costs.pop + log_ + touch_own(w);
  ++result_.pops;
  result_.popping += cost;
  until(w, activity::scheduling, cost + stop_search(w));
  return true;
}

}  // namespace ashlar::sim
