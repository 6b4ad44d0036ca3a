// SPDX-License-Identifier: Apache-2.0
// What is known while a trace is read: the graph so far, the frames that are open on each lane, and who waits for whom.
// When the graph grows too large, sweep() folds what is over (trace/folding.h).
#pragma once

#include "trace/child_lists.h"
#include "trace/flat_map.h"
#include "trace/folding.h"
#include "trace/run_watcher.h"
#include "trace/symbols.h"
#include "trace/task_graph.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ashlar::sim {

class graph_state {
 protected:
  using what = task_item::what;
  static constexpr std::uint32_t none = traced_task::none;

  struct frame {
    std::uint32_t task = none;
    std::uint64_t address = 0;
    std::uint64_t since = 0;  // its current piece of work began
    bool waiting = false;
    bool drained = false;  // it has just run another task on its stack: it is somewhere in a wait
    std::uint64_t nested_end = 0;
    std::vector<std::uint32_t> regions;  // of the user's, innermost last
  };

  struct lane_state {
    std::vector<frame> frames;
    std::uint64_t lost = 0;     // ticks without a processor since the last event
    std::uint64_t blocked = 0;  // and those for which the thread gave it away itself
    std::uint64_t label = 0;
    std::uint64_t seat = 0;    // the slot that the last event told of, if that was a seat
    std::uint64_t parked = 0;  // ticks
    bool ran_tasks = false;
  };

  graph_state(trace const& t, graph_settings const& how)
      : trace_(t),
        how_(how),
        symbols_(t.modules),
        lanes_(t.lanes.size()),
        ps_per_tick_(1000.0 / t.ticks_per_ns),
        // A wait's end by another thread may be seen before that thread has told of the task's end.
        slack_(static_cast<std::uint64_t>(20000 * t.ticks_per_ns)),
        moment_(static_cast<std::uint64_t>(1000 * t.ticks_per_ns)),
        event_ticks_(static_cast<std::uint64_t>(t.event_ns * t.ticks_per_ns)),
        most_tasks_(how.most_tasks) {}

  static frame base_frame(std::uint32_t task, std::uint64_t now) {
    frame f;
    f.task = task;
    f.since = now;
    return f;
  }

  std::uint32_t region(std::string const& name) {
    auto const [at, fresh] = region_numbers_.try_emplace(name, static_cast<std::uint32_t>(made_.regions.size()));
    if (fresh) made_.regions.push_back(name);
    return at->second;
  }

  std::uint32_t new_task(std::uint32_t of_region, std::uint32_t on_lane, std::uint64_t now) {
    if (made_.tasks.size() >= none - 1) throw bad_input(trace_.file + ": too many tasks");
    traced_task t;
    t.region = of_region;
    t.spawn_lane = on_lane;
    t.spawned = now;
    made_.tasks.push_back(t);
    return static_cast<std::uint32_t>(made_.tasks.size() - 1);
  }

  std::uint32_t append(std::uint32_t task, task_item item) {
    traced_task& t = made_.tasks[task];
    auto const at = static_cast<std::uint32_t>(made_.items.size());
    item.next = none;
    made_.items.push_back(item);
    (t.last == none ? t.first : made_.items[t.last].next) = at;
    t.last = at;
    return at;
  }
  std::uint32_t append(std::uint32_t task, what kind, std::uint32_t child = none) {
    return append(task, {kind, 0, child, none, 0});
  }

  std::uint32_t region_of(frame const& f) const {
    return f.regions.empty() ? made_.tasks[f.task].region : f.regions.back();
  }

  // Ends the frame's current piece of work.
  void charge(std::uint32_t number, std::uint64_t now);
  // What the main thread sleeps after the last that it had to do with tasks holds up nobody.
  void drop_last_pauses();

  // If the graph is too large, folds what is over.
  void sweep(std::uint64_t now) {
    if (made_.tasks.size() > most_tasks_ || made_.items.size() / items_per_task > most_tasks_) shrink(now);
  }
  // The name of the code at the lane's label.
  std::uint32_t region_of_label(std::uint64_t label) {
    auto const [at, fresh] = label_regions_.try_emplace(label, 0);
    if (fresh) at->second = region(symbols_.name(label));
    return at->second;
  }

  trace const& trace_;
  graph_settings const how_;
  symbol_table symbols_;
  task_graph made_;
  std::vector<lane_state> lanes_;
  double const ps_per_tick_;
  std::uint64_t const slack_, moment_, event_ticks_;
  std::unordered_map<std::string, std::uint32_t> region_numbers_;
  flat_map<std::uint64_t> label_regions_;
  flat_map<std::uint64_t> pending_;      // address -> spawned, not begun
  flat_map<std::uint64_t> orphans_;      // address -> begun, and nobody has spawned it
  flat_map<std::uint64_t> latest_;       // address -> the last task that began there
  flat_map<std::uint64_t> makers_;       // address of a continuation -> who made it
  flat_map<std::uint32_t> places_;       // orphan -> its spawn item, a guess
  flat_map<std::uint32_t> spawn_items_;  // spawned, not begun -> the place of its spawn item
  child_lists open_;                     // children since the last wait
  flat_map<std::uint32_t> not_begun_;    // how many of its children
  std::vector<std::pair<std::uint32_t, picoseconds>>
      pauses_;                                // pieces of the main thread's work, and how long of each it slept
  std::unordered_set<std::uint32_t> nested_;  // tasks whose waits were for some of them

 private:
  static constexpr std::size_t items_per_task = 6;

  void shrink(std::uint64_t now);
  fold_request request(std::uint64_t now);
  void renumber(fold_result const& numbers);

  std::size_t most_tasks_;
  picoseconds work_ = 0;  // of all tasks
};

}  // namespace ashlar::sim
