// SPDX-License-Identifier: Apache-2.0
#include "engine/run.h"

#include "program/bad_input.h"

#include <ashlar/base/config.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ashlar::sim {

run::run(program const& p, machine const& m, options const& o)
    : program_(p),
      machine_(m),
      options_(o),
      where_(m, o.workers),
      pool_(o.max_open_tasks),
      events_(o.workers),
      workers_(o.workers),
      versions_(o.workers, 1),
      seen_(std::size_t(o.workers) * o.workers),
      may_coast_(may_coast()) {
  std::uint64_t seed = o.seed;
  for (worker& x : workers_) x.random = splitmix(seed);
  noise_ = seed;
  if (keeps_log()) log_ = machine_.costs.scan_entry;
}

ASHLAR_ALWAYS_INLINE void run::handle(unsigned w) {
  worker& x = workers_[w];
  account(x, now_);
  ++result_.events;
  mix(now_ << 16 ^ std::uint64_t(w) << 2 ^ static_cast<std::uint64_t>(x.doing));
  switch (x.doing) {
    case mode::executing:
      execute_step(w);
      break;
    case mode::probing:
      probe(w);
      break;
    case mode::coasting:
      end_coasting(w);
      resume_or_pop(w);
      break;
    case mode::parked:  // woken
      x.pauses.end_sleep(x.alone, now_ - x.parked_at, brief_sleep);
      x.doing = mode::seeking;
      [[fallthrough]];
    case mode::seeking:
      resume_or_pop(w);
      break;
  }
}

void run::handle_late(unsigned w) { handle(w); }

result run::execute() {
  unsigned const count = static_cast<unsigned>(workers_.size());
  open_ = 1;
  result_.tasks = 1;
  task_record* const root = pool_.make(program_.root(), nullptr);
  if (options_.group_counters) join_group(root);
  begin_task(0, root);
  events_.set(0, 0);
  // The threads are there; they start to look for work when the root starts.
  for (unsigned w = 1; w < count; ++w) {
    workers_[w].doing = mode::seeking;
    events_.set(w, delay());
  }
  unsigned last = 0;
  while (!over_) {
    picoseconds const time = events_.first_time();
    if (time >= tournament::never) {
      throw std::logic_error("the simulated workers all sleep, but the program is not over");
    }
    now_ = time;
    last = events_.first();
    if (++steps_ > options_.max_steps) throw too_many_steps();
    handle(last);
  }
  settle(last);
  return finish();
}

// Adds what the worker has just done to the timeline.
void run::draw(worker& x, picoseconds now) {
  std::vector<stretch>& all = *options_.timeline;
  bool const works = x.doing_what == activity::work && x.current != nullptr;
  std::uint32_t const region = works ? program_.region_of(x.current->state) : 0;
  if (x.last_stretch < all.size()) {
    stretch& last = all[x.last_stretch];
    if (last.what == x.doing_what && last.region == region) {
      last.end = now;
      return;
    }
  }
  if (all.size() >= options_.max_stretches) {
    throw bad_input("the chart would have more than " + std::to_string(options_.max_stretches) +
                    " pieces: choose a smaller graph");
  }
  x.last_stretch = all.size();
  all.push_back({static_cast<std::uint32_t>(&x - workers_.data()), region, x.doing_what, x.since, now});
}

void run::too_many() const {
  throw bad_input("the graph has more than " + std::to_string(options_.max_tasks) +
                  " tasks: more than --max-tasks allows");
}
static_assert(longest_run == tournament::never);
void run::too_long() { throw bad_input("the simulated time exceeds 75 minutes"); }

void run::execute_step(unsigned w) {
  worker& x = workers_[w];
  task_record* const r = x.current;
  task_state child;
  step const s = program_.next(r->state, child);
  switch (s.kind) {
    case step_kind::work:
      return until(w, activity::work, s.work);
    case step_kind::spawn:
      return spawn(w, child);
    case step_kind::wait:
      ++result_.waits;
      if (options_.wait != wait_rule::continuation) return block(w);
      [[fallthrough]];
    case step_kind::wait_continuation:
      result_.waits += s.kind == step_kind::wait_continuation;
      if (r->pending == 0) return until(w, activity::scheduling, machine_.costs.resume);
      r->suspended = true;
      x.current = nullptr;
      x.doing = mode::seeking;
      return resume_or_pop(w);
    case step_kind::end:
      break;
  }
  r->ended = true;
  x.current = nullptr;
  x.doing = mode::seeking;
  x.idle_at_last = 0;
  for (activity a : {activity::failing, activity::pausing, activity::parked}) {
    x.idle_at_last += x.times[static_cast<std::size_t>(a)];
  }
  picoseconds const cost = r->pending == 0 ? complete(w, r) : 0;
  if (over_) return;
  if (x.current != nullptr || cost != 0) return until(w, activity::scheduling, cost);
  resume_or_pop(w);
}

void run::spawn(unsigned w, task_state const& child) {
  if (!coasting_.empty()) settle(w);
  worker& x = workers_[w];
  task_record* const r = x.current;
  ++r->pending;
  ++result_.spawns;
  if (++result_.tasks > options_.max_tasks) [[unlikely]]
    too_many();
  result_.most_open_tasks = std::max(result_.most_open_tasks, ++open_);
  picoseconds cost = machine_.costs.spawn + log_ + touch_own(w);
  task_record* const born = pool_.make(child, r);
  if (options_.group_counters) {
    join_group(born);
    cost += count_in_group(w, r->group);
  }
  x.deque.push(born);
  ++visible_;
  if (workers_.size() > 1) cost += call_for_help(w);
  result_.spawning += cost;
  until(w, activity::scheduling, cost);
}

void run::block(unsigned w) {
  worker& x = workers_[w];
  task_record* const r = x.current;
  if (r->pending != 0) {
    r->blocked = true;
    // TBB 4.1's owner goes on with any task of its own.
    bool const whole = tbb41() && options_.wait != wait_rule::leapfrog;
    x.frames.push_back({r, whole ? 0 : x.base});
    x.current = nullptr;
    x.doing = mode::seeking;
  }
  until(w, activity::scheduling, machine_.costs.wait);
}

// A task and its children are over. The cost of telling its ancestors; may give the worker a continuation to run.
picoseconds run::complete(unsigned w, task_record* r) {
  picoseconds cost = options_.group_counters && r->parent != nullptr ? count_in_group(w, r->parent->group) : 0;
  for (;;) {
    task_record* const parent = r->parent;
    pool_.release(r);
    --open_;
    if (parent == nullptr) {
      over_ = true;
      return cost;
    }
    if (!options_.group_counters && parent->worker != w) cost += where_.line(w, parent->worker);
    if (--parent->pending != 0) return cost;
    if (!parent->ended) return cost + notify(w, parent);
    r = parent;
  }
}

// The last child of a task that isn't over is complete.
picoseconds run::notify(unsigned w, task_record* parent) {
  if (parent->suspended) {
    parent->suspended = false;
    begin_task(w, parent);
    return machine_.costs.resume;
  }
  if (!parent->blocked) return 0;
  unsigned const u = parent->worker;
  worker& waiter = workers_[u];
  if (waiter.current != nullptr || waiter.frames.back().task != parent) {
    ++result_.buried_waits;
    parent->buried_since = now_;
    return 0;
  }
  if (!waiter.asleep) return 0;
  wake(u, machine_.costs.wake_call);
  return machine_.costs.wake_call;
}

void run::resume_or_pop(unsigned w) {
  if (resume_frame(w) || pop_own(w)) return;
  look_at_group(w);
  begin_search(w);
}

void run::join_group(task_record* r) {
  bool const own = r->parent == nullptr || program_.join_of(r->state) != join_kind::inherited;
  r->group = own ? r : r->parent->group;
}

// A task of the group is spawned or over.
picoseconds run::count_in_group(unsigned w, task_record* group) {
  if (group->worker == w) return 0;
  picoseconds const away = machine_.costs.task_away / 2;
  return std::exchange(group->counted, true) ? away : away + where_.line(w, group->worker);
}

// Who has run out of tasks in a wait looks at the counter each time it has found nothing.
void run::look_at_group(unsigned w) {
  worker& x = workers_[w];
  if (options_.group_counters && !x.frames.empty()) x.frames.back().task->counted = false;
}

// Goes on with the innermost wait, if it is over.
bool run::resume_frame(unsigned w) {
  worker& x = workers_[w];
  if (x.frames.empty() || x.frames.back().task->pending != 0) return false;
  task_record* const r = x.frames.back().task;
  r->blocked = false;
  if (r->buried_since != task_record::not_buried) {
    result_.buried_time += now_ - std::exchange(r->buried_since, task_record::not_buried);
  }
  x.current = r;
  x.base = x.frames.back().base;
  x.frames.pop_back();
  x.doing = mode::executing;
  until(w, activity::scheduling, stop_search(w, false));
  return true;
}

bool run::pop_own(unsigned w) {
  worker& x = workers_[w];
  std::size_t const base = x.frames.empty() ? 0 : x.frames.back().base;
  if (x.deque.empty()) {
    x.open = std::max(x.open, x.deque.back() + margin);
    x.robbed = false;
  }
  if (x.deque.empty() || x.deque.back() <= base || !may_take(x, x.deque.newest())) return false;
  // A thief that is at the last task keeps the owner waiting.
  picoseconds const wait = x.deque.size() == 1 && x.busy_until > now_ ? x.busy_until - now_ : 0;
  picoseconds const cost = machine_.costs.pop + log_ + touch_own(w) + wait;
  --visible_;
  ++result_.pops;
  result_.popping += cost;
  begin_task(w, x.deque.pop());
  until(w, activity::scheduling, cost + stop_search(w));
  return true;
}

result run::finish() {
  result& r = result_;
  r.workers = static_cast<unsigned>(workers_.size());
  r.makespan = now_;
  r.hash = hash_;
  for (worker& x : workers_) {
    account(x, now_);
    r.per_worker.push_back(x.times);
    picoseconds idle = 0;
    for (std::size_t a = 0; a < activities; ++a) r.times[a] += x.times[a];
    for (activity a : {activity::failing, activity::pausing, activity::parked}) {
      idle += x.times[static_cast<std::size_t>(a)];
    }
    picoseconds const before = x.ran ? x.idle_at_first : idle;
    picoseconds const after = x.ran ? idle - std::max(x.idle_at_last, before) : 0;
    r.idle_ramp_up += before;
    r.idle_tail += after;
    r.idle_between += idle - before - after;
  }
  return std::move(r);
}

result simulate(program const& p, machine const& m, options const& o) {
  if (o.workers == 0 || o.workers > max_workers) {
    throw bad_input("the number of workers must be between 1 and " + std::to_string(max_workers));
  }
  return run(p, m, o).execute();
}

double result::energy(machine const& m) const noexcept {
  picoseconds const spinning = (*this)[activity::pausing], asleep = (*this)[activity::parked];
  picoseconds busy = 0;
  for (picoseconds const t : times) busy += t;
  busy -= spinning + asleep;
  return 1e-15 * (static_cast<double>(busy) * static_cast<double>(m.power.busy) +
                  static_cast<double>(spinning) * static_cast<double>(m.power.spinning) +
                  static_cast<double>(asleep) * static_cast<double>(m.power.parked));
}

}  // namespace ashlar::sim
