// SPDX-License-Identifier: Apache-2.0
// The state of one simulated run. Each worker has one pending event; handling it changes the state at that time and
// determines what the worker does until its next one.
//
// Costs are charged after the effect: a spawned task can be seen at once, its spawner goes on when the push is paid.
#pragma once

#include "engine/chooser.h"
#include "engine/geometry.h"
#include "engine/simulate.h"
#include "engine/task_record.h"
#include "engine/tournament.h"

#include "sched/policy/search_limits.h"
#include "sched/policy/theft_memory.h"
#include "sched/policy/wake_rule.h"

#include <utility>

namespace ashlar::sim {

class run {
 public:
  run(program const& p, machine const& m, options const& o);
  result execute();

 private:
  enum class mode : std::uint8_t { executing, seeking, probing, parked, coasting };
  static constexpr unsigned none = chooser::none;
  static constexpr os::tuning tuned{static_cast<double>(nanosecond)};
  static constexpr picoseconds short_pause = tuned.ticks_of_us(os::short_pause_us);
  static constexpr picoseconds brief_sleep = tuned.ticks_of_us(os::wake_up_us);
  static constexpr std::size_t margin = 4;  // so many tasks of a deque that was empty need no fence

  struct frame {
    task_record* task;
    std::size_t base;  // own tasks from here on are newer than the wait
  };
  // What an empty round leads to.
  struct idle_step {
    bool parks = false;
    picoseconds pause = 0;
    unsigned rounds = 0;  // of the idle policy that have passed

    bool operator==(idle_step const&) const = default;
  };
  // What coast.cpp passes over.
  struct coasting {
    picoseconds begin = 0;     // of the pause after the last round that was gone through
    std::uint64_t rounds = 0;  // passed over, and of each:
    std::uint64_t looks = 0;
    std::uint64_t draws = 0;  // what its random numbers add to the generator's state
    picoseconds failing = 0;
    idle_step after;
  };
  struct worker {
    mode doing = mode::parked;
    activity doing_what = activity::parked;
    picoseconds since = 0;
    task_record* current = nullptr;
    std::size_t base = 0;  // size of the deque when the current task began: newer ones are its own
    std::vector<frame> frames;
    ring deque;
    picoseconds busy_until = 0;  // a thief is at the deque
    picoseconds line_until = 0;  // somebody fetches its line
    unsigned reader = none;      // who has looked at the deque since its owner changed it
    std::size_t open = margin;   // thieves take tasks below it without a fence
    picoseconds owed = 0;        // for thieves' fences
    unsigned crowd = 0;          // thieves on their way to it
    chooser victims;
    sched::idle_state idle;
    sched::pause_memory pauses;  // its ticks are picoseconds, as those of:
    sched::theft_memory past_thefts{tuned};
    std::uint64_t random = 0;
    unsigned victim = none;
    unsigned attempt = 0;                                   // back-off step at this victim
    picoseconds failing_before = 0;                         // time of failures before this look
    sched::idle_action action = sched::idle_action::pause;  // TBB 4.1: what the last failure leads to
    bool searching = false;                                 // and counted, as:
    sched::searcher counted_as = sched::searcher::worker;
    unsigned left = 0;    // for others, where the last task was stolen
    bool called = false;  // somebody woke it for work, and it waits for something else
    bool robbed = false;  // since its deque was empty
    bool ran = false;
    bool asleep = false;      // parked, and nobody has called
    bool alone = false;       // it was the last worker that left the arena
    bool in_bed = false;      // among those who may be called for work
    std::size_t bed = 0;      // the place there
    std::uint64_t armed = 0;  // its WAKE bit is down if this is `arming_`
    picoseconds bedtime = 0;  // when the fence was over that it made before it fell asleep
    picoseconds parked_at = 0;
    picoseconds idle_at_first = 0, idle_at_last = 0;
    std::size_t last_stretch = ~std::size_t(0);
    bool refused = false;  // a task in this round, which it may not take
    coasting coast;
    activity_times times{};
  };
  struct view;

  // run.cpp: the loop and the steps of tasks
  void handle(unsigned w);
  void handle_late(unsigned w);  // the same, out of the loop
  void execute_step(unsigned w);
  void spawn(unsigned w, task_state const& child);
  void block(unsigned w);
  picoseconds complete(unsigned w, task_record* r);
  picoseconds notify(unsigned w, task_record* parent);
  void resume_or_pop(unsigned w);
  bool resume_frame(unsigned w);
  bool pop_own(unsigned w);
  picoseconds touch_own(unsigned w);
  void join_group(task_record* r);
  picoseconds count_in_group(unsigned w, task_record* group);
  void look_at_group(unsigned w);
  void begin_task(unsigned w, task_record* r);
  void until(unsigned w, activity what, picoseconds duration);
  [[noreturn]] static void too_long();
  [[noreturn]] void too_many() const;
  void account(worker& x, picoseconds now);
  void draw(worker& x, picoseconds now);
  result finish();

  // search.cpp: thieves
  void begin_search(unsigned w);
  void next_victim(unsigned w);
  void probe(unsigned w);
  void conflict(unsigned w, worker& victim);
  bool open_more(unsigned w, worker& victim);
  void take(unsigned w, worker& victim);
  void failed(unsigned w);
  void end_round(unsigned w);
  picoseconds theft_pause(worker const& x) const noexcept;
  idle_step next_idle_step(worker const& x, sched::idle_state& idle, picoseconds now) const noexcept;
  bool take_own_oldest(unsigned w);
  std::uint32_t leave_search(worker& x) noexcept;
  picoseconds stop_search(unsigned w, bool with_task = true);
  bool may_take(worker const& x, task_record const* offered) const noexcept;
  sched::search_limits limits_of(worker const& x) const noexcept;
  bool rule_allows(worker const& x, task_record const* offered) const noexcept;
  picoseconds look_at(unsigned w, unsigned v);
  bool single_probe_rounds() const noexcept;
  bool leaves_locked() const noexcept;
  bool keeps_log() const noexcept;
  unsigned leapfrog_victim(worker const& x) const noexcept;

  // options::jitter: of a start or a waking, and a pause with it
  picoseconds delay() noexcept { return options_.jitter ? splitmix(noise_) % (machine_.costs.pause + 1) : 0; }
  picoseconds jittered(picoseconds pause) noexcept {
    picoseconds const usual = machine_.costs.pause;
    return options_.jitter ? pause - usual + usual * 7 / 8 + delay() / 4 : pause;
  }

  // coast.cpp: fast-forward of idle workers
  bool may_coast() const noexcept;
  bool coast(unsigned w, idle_step const& step);
  bool goes_by_occupancy() const noexcept;
  void stop_coasting(worker& x, std::uint64_t rounds);
  void end_coasting(unsigned w);
  void settle(unsigned cause);

  // sleep.cpp: parking and waking
  bool park(unsigned w);
  void wake(unsigned w, picoseconds call);
  picoseconds call_for_help(unsigned w);
  picoseconds call(unsigned threads);
  void arm(worker& x);

  bool tbb41() const noexcept { return machine_.protocol == steal_protocol::tbb41; }
  std::uint32_t& seen(unsigned thief, unsigned victim) { return seen_[std::size_t(thief) * workers_.size() + victim]; }
  void mix(std::uint64_t value) noexcept {
    hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 29;
  }

  program const& program_;
  machine const& machine_;
  options const options_;
  geometry const where_;
  record_pool pool_;
  tournament events_;
  std::vector<worker> workers_;
  std::vector<std::uint32_t> versions_;  // of each deque's line
  std::vector<std::uint32_t> seen_;      // thief x victim: the version that the thief has in its cache
  std::vector<unsigned> sleepers_;       // who may be called for work
  std::vector<unsigned> coasting_;
  bool const may_coast_;
  picoseconds now_ = 0;
  picoseconds log_ = 0;          // to write an entry of the log of occupancies
  std::uint64_t visible_ = 0;    // tasks in deques
  std::uint32_t searching_ = 0;  // as the arena counts
  std::uint64_t arming_ = 1;     // grows whenever the WAKE bits are raised
  unsigned lowered_ = 0;         // WAKE bits that are down
  unsigned outside_ = 0;         // workers that have left the arena and sleep
  std::uint64_t open_ = 0;
  std::uint64_t steps_ = 0;  // events handled, and workers that settle() went through
  bool over_ = false;
  std::uint64_t noise_ = 0;  // of jitter
  std::uint64_t hash_ = 0xCBF29CE484222325u;
  result result_;
};

// What nearly every event needs.

inline void run::account(worker& x, picoseconds now) {
  x.times[static_cast<std::size_t>(x.doing_what)] += now - x.since;
  if (options_.timeline != nullptr && now != x.since) draw(x, now);
  x.since = now;
}

// The worker's next event, and what it is doing until then.
inline void run::until(unsigned w, activity what, picoseconds duration) {
  workers_[w].doing_what = what;
  picoseconds const at = now_ + duration;
  if (at >= tournament::never) [[unlikely]]
    too_long();
  events_.set(w, at);
}

inline void run::begin_task(unsigned w, task_record* r) {
  worker& x = workers_[w];
  x.current = r;
  x.base = x.deque.back();
  r->worker = w;
  x.doing = mode::executing;
  if (!x.ran) {
    x.ran = true;
    for (activity a : {activity::failing, activity::pausing, activity::parked}) {
      x.idle_at_first += x.times[static_cast<std::size_t>(a)];
    }
  }
}

// The owner changes its deque: the line has to come back from a thief that has looked at it. Interruptions are paid
// here.
inline picoseconds run::touch_own(unsigned w) {
  worker& x = workers_[w];
  ++versions_[w];
  unsigned const reader = std::exchange(x.reader, none);
  return std::exchange(x.owed, 0) + (reader == none ? 0 : where_.line(w, reader));
}

inline std::uint32_t run::leave_search(worker& x) noexcept {
  x.searching = false;
  return searching_ -= static_cast<std::uint32_t>(x.counted_as);
}

// The worker has something to do: a task, or what comes after its wait. What it pays for calling others.
inline picoseconds run::stop_search(unsigned w, bool with_task) {
  worker& x = workers_[w];
  x.idle.reset();
  x.pauses.end(now_, short_pause);
  x.action = sched::idle_action::pause;
  bool owed = std::exchange(x.called, false);
  if (x.searching) owed |= sched::wake_rule::jobs_were_left_to(x.counted_as, leave_search(x));
  unsigned const calls = sched::wake_rule::calls_for_find(owed, std::exchange(x.left, 0u));
  return with_task || visible_ != 0 ? call(calls) : 0;
}

inline bool run::may_take(worker const& x, task_record const* offered) const noexcept {
  bool const free = x.frames.empty() || options_.wait == wait_rule::any || options_.wait == wait_rule::continuation;
  return free || rule_allows(x, offered);
}

}  // namespace ashlar::sim
