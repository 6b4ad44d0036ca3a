// SPDX-License-Identifier: Apache-2.0
// One pass over the events of all lanes in the order of time. Each lane has a stack of frames: the tasks that are open
// on it. What passes between two events of the topmost frame is that task's work, unless it waits.
#include "trace/graph_builder.h"

#include "trace/graph_state.h"
#include "trace/lane_cursor.h"

#include <algorithm>
#include <functional>

namespace ashlar::sim {

namespace {

class graph_builder : graph_state {
 public:
  graph_builder(trace const& t, graph_settings const& how) : graph_state(t, how) {}

  task_graph build() {
    region("main thread, outside of tasks");
    new_task(0, 0, 0);
    made_.tasks[0].ran = true;
    if (!lanes_.empty()) lanes_[0].frames.push_back(base_frame(0, 0));
    if (!lanes_.empty()) lanes_[0].ran_tasks = true;
    made_.threads = 1;
    replay();
    finish();
    made_.complaints = symbols_.complaints();
    return std::move(made_);
  }

 private:
  // The frame goes on after it has run others on its stack, and no event tells that a wait is over: it was one.
  void end_drain(std::uint32_t number, event const& e) {
    lane_state& l = lanes_[number];
    if (l.frames.empty() || !l.frames.back().drained) return;
    frame& f = l.frames.back();
    bool const told =
        e.kind == trace_event::join || e.kind == trace_event::wait_end || e.kind == trace_event::wait_begin;
    bool const closes = e.kind == trace_event::begin || e.kind == trace_event::end;
    if (told || (closes && e.ticks - f.since < moment_)) {
      f.since = e.ticks;  // looking for the next task is scheduling, not work
    } else if (e.kind != trace_event::begin) {
      join_over(f.task, e.ticks);
    }
    if (e.kind != trace_event::begin) f.drained = false;
  }

  // True if every task that this one has spawned since its last wait is over.
  bool all_over(frame const& f, std::uint64_t now) const {
    auto const* const found = open_.find(f.task);
    if (found == nullptr) return true;
    return std::all_of(found->begin(), found->end(), [&](std::uint32_t c) { return is_over(c, now); });
  }
  bool is_over(std::uint32_t task, std::uint64_t now) const {
    traced_task const& t = made_.tasks[task];
    return t.over && t.ended <= now + slack_;
  }

  // A wait ended: it was for the children that are over. Others belong to an enclosing construct of the same task.
  void join_over(std::uint32_t task, std::uint64_t now) {
    auto* const found = open_.find(task);
    if (found == nullptr) return;
    auto& open = *found;
    auto const rest = std::partition(open.begin(), open.end(), [&](std::uint32_t c) { return is_over(c, now); });
    bool const all = rest == open.end();
    if (!all || not_begun_[task] != 0) nested_.insert(task);
    // A task that waits for some of its children now and for others later tells for which, each time.
    if (all && nested_.count(task) == 0) {
      append(task, what::wait);
      open_.erase(task);
      return;
    }
    std::sort(open.begin(), rest, std::greater<>());  // newest first
    for (auto c = open.begin(); c != rest; ++c) append(task, what::join, *c);
    open.erase(open.begin(), rest);
    if (all) open_.erase(task);
  }

  void replay() {
    merged_events all(trace_);
    std::uint32_t number = 0;
    for (event e{}; all.next(number, e);) {
      process(number, e);
      ++made_.events;
      sweep(e.ticks);
    }
  }

  void process(std::uint32_t number, event const& e) {
    switch (e.kind) {
      case trace_event::label:
        lanes_[number].label = e.payload;
        return;
      case trace_event::lost:
        return lose(number, e);
      case trace_event::parent:
        return waits_for(number, e);
      case trace_event::steal:
        return steal(number, e);
      case trace_event::park:
        ++made_.parks;
        lanes_[number].parked = e.ticks;
        return;
      case trace_event::wake:
        return wake(number, e);
      case trace_event::occupy:
        return sit(number, e);
      default:
        break;
    }
    lanes_[number].seat = 0;
    end_drain(number, e);
    charge(number, e.ticks);
    switch (e.kind) {
      case trace_event::spawn:
        return spawn(number, e);
      case trace_event::begin:
        return begin(number, e);
      case trace_event::end:
        return end(number, e);
      case trace_event::wait_begin:
        return wait_begin(number, e);
      case trace_event::wait_end:
        return wait_end(number, e);
      case trace_event::join:
        return join(number, e);
      default:
        return name(number, e);
    }
  }

  void wake(std::uint32_t number, event const& e) {
    lane_state& l = lanes_[number];
    l.lost = l.blocked = 0;
    std::uint64_t const since = std::exchange(l.parked, 0);
    if (how_.watcher != nullptr && since != 0) how_.watcher->parked(number, since, e.ticks);
  }

  void steal(std::uint32_t number, event const& e) {
    ++made_.steals;
    if (how_.watcher != nullptr) how_.watcher->stole(number, e.ticks, e.payload);
  }

  void sit(std::uint32_t number, event const& e) {
    lanes_[number].seat = e.payload;
    if (how_.watcher != nullptr) how_.watcher->seated(number, e.ticks, e.payload, 0, 0);
  }

  void sit_in_arena(std::uint32_t number, event const& e) {
    std::uint64_t const slot = std::exchange(lanes_[number].seat, 0);
    std::uint64_t const address = e.payload & ((std::uint64_t{1} << obs::trace_arena_bits) - 1);
    if (how_.watcher == nullptr) return;
    how_.watcher->seated(number, e.ticks, slot, address, static_cast<unsigned>(e.payload >> obs::trace_arena_bits));
  }

  void lose(std::uint32_t number, event const& e) {
    bool const voluntary = e.payload & 1;
    lane_state& l = lanes_[number];
    // A task that blocks on its own account holds its thread for so long; a wait doesn't count anyway.
    (voluntary ? l.blocked : l.lost) += e.payload >> 1;
    if (voluntary) return;
    if (!l.frames.empty() && !l.frames.back().waiting) {
      made_.preempted += static_cast<picoseconds>(static_cast<double>(e.payload >> 1) * ps_per_tick_);
    }
  }

  // The frame on top of the lane; a thread of the application's that has none gets one.
  frame& top(std::uint32_t number, std::uint64_t now) {
    lane_state& l = lanes_[number];
    if (l.frames.empty()) {
      std::uint32_t const root = new_task(region("other application threads"), number, now);
      made_.tasks[root].ran = true;
      ++made_.ran;
      adopt(root, 0, number);
      l.frames.push_back(base_frame(root, now));
    }
    return l.frames.back();
  }

  std::uint32_t adopt(std::uint32_t child, std::uint32_t parent, std::uint32_t spawn_lane) {
    made_.tasks[child].parent = parent;
    made_.tasks[child].spawn_lane = spawn_lane;
    open_[parent].push_back(child);
    return append(parent, what::spawn, child);
  }

  void spawn(std::uint32_t number, event const& e) {
    frame& f = top(number, e.ticks);
    auto const orphan = orphans_.find(e.payload);
    if (orphan != orphans_.end() && made_.tasks[orphan->second].lane != number && !descends(f.task, orphan->second)) {
      // A thief began before the spawner could tell.
      std::uint32_t const child = orphan->second;
      orphans_.erase(orphan);
      made_.items[places_[child]].kind = what::nothing;
      auto& siblings = open_[made_.tasks[child].parent];
      siblings.erase(std::remove(siblings.begin(), siblings.end(), child), siblings.end());
      made_.tasks[child].spawned = std::min(e.ticks, made_.tasks[child].begun);
      adopt(child, f.task, number);
      return;
    }
    std::uint32_t const child = new_task(none, number, e.ticks);
    inherit(child, f);
    made_.tasks[child].parent = f.task;
    std::uint32_t& pending = pending_.try_emplace(e.payload, none).first->second;
    if (pending != none) spawn_items_.erase(pending);  // the second copy of a letter: it is never run
    pending = child;
    ++not_begun_[f.task];
    // Its place among the steps; one that is never run, as the second copy of a letter, has none.
    spawn_items_[child] = append(f.task, what::nothing, child);
  }

  bool descends(std::uint32_t task, std::uint32_t from) const {
    while (task != from && task != none) task = made_.tasks[task].parent;
    return task == from;
  }

  void begin(std::uint32_t number, event const& e) {
    lane_state& l = lanes_[number];
    auto const waiting = pending_.find(e.payload);
    std::uint32_t task = none;
    if (waiting != pending_.end()) {
      task = waiting->second;
      pending_.erase(waiting);
      std::uint32_t const parent = made_.tasks[task].parent;
      auto const place = spawn_items_.find(task);
      made_.items[place->second].kind = what::spawn;
      spawn_items_.erase(place);
      open_[parent].push_back(task);
      --not_begun_[parent];
    } else if (auto const by = makers_.find(e.payload); by != makers_.end()) {
      // A continuation: it starts when everything that its maker has spawned is over.
      task = new_task(none, number, e.ticks);
      append(by->second, what::wait);
      adopt(task, by->second, number);
      made_.tasks[task].continues = true;
      makers_.erase(by);
    } else {
      task = new_task(none, number, e.ticks);
      std::uint32_t const parent = l.frames.empty() ? 0 : l.frames.back().task;
      if (!l.frames.empty()) inherit(task, l.frames.back());
      places_[task] = adopt(task, parent, number);
      orphans_[e.payload] = task;
    }
    traced_task& t = made_.tasks[task];
    if (t.region == none) t.region = region_of_label(l.label);
    t.lane = number;
    t.begun = e.ticks;
    t.ran = true;
    ++made_.ran;
    if (how_.watcher != nullptr) how_.watcher->began(number);
    latest_[e.payload] = task;
    if (!l.frames.empty()) l.frames.back().drained = false;
    frame f = base_frame(task, e.ticks);
    f.address = e.payload;
    l.frames.push_back(std::move(f));
    if (!l.ran_tasks) ++made_.threads;
    l.ran_tasks = true;
  }

  void inherit(std::uint32_t task, frame const& from) {
    if (from.regions.empty() && !made_.tasks[from.task].named) return;
    made_.tasks[task].region = region_of(from);
    made_.tasks[task].named = true;
  }

  void end(std::uint32_t number, event const& e) {
    auto& frames = lanes_[number].frames;
    if (!frames.empty() && frames.back().address == e.payload && frames.back().task != 0) {
      close(number, e.ticks);
      if (!frames.empty()) {
        frames.back().since = e.ticks;
        frames.back().drained = !frames.back().waiting;
        frames.back().nested_end = e.ticks;
      }
      return;
    }
    auto const found = latest_.find(e.payload);
    if (found == latest_.end() || made_.tasks[found->second].over) {
      trace_.reject(std::uint64_t{e.word} * 8, "the end of a task that does not run");
    }
    // It was suspended, or what lies above it was.
    ++made_.migrated;
    traced_task& t = made_.tasks[found->second];
    t.over = true;
    t.ended = e.ticks;
    made_.grains.add(t.work);
    for (auto& l : lanes_) {
      std::erase_if(l.frames, [&](frame const& f) { return f.task == found->second; });
    }
  }

  void close(std::uint32_t number, std::uint64_t now) {
    auto& frames = lanes_[number].frames;
    frame const f = std::move(frames.back());
    frames.pop_back();
    traced_task& t = made_.tasks[f.task];
    t.over = true;
    t.ended = now;
    if (f.task != 0) made_.grains.add(t.work);
    auto const orphan = orphans_.find(f.address);
    if (orphan != orphans_.end() && orphan->second == f.task && t.parent == 0 && frames.empty()) {
      // Its spawner may still tell of it.
    } else if (orphan != orphans_.end() && orphan->second == f.task) {
      orphans_.erase(orphan);
    }
    bool const has_children = open_.find(f.task) != nullptr;
    if (!has_children || all_over(f, now)) makers_.erase(f.address);
    if (has_children && makers_.find(f.address) == makers_.end()) open_.erase(f.task);
  }

  void waits_for(std::uint32_t number, event const& e) {
    if (lanes_[number].seat != 0) return sit_in_arena(number, e);
    auto const& frames = lanes_[number].frames;
    if (frames.empty()) return;
    std::uint32_t const maker = made_.tasks[frames.back().task].parent;
    if (maker != none && maker != 0) makers_[e.payload] = maker;
  }

  void wait_begin(std::uint32_t number, event const& e) {
    frame& f = top(number, e.ticks);
    f.waiting = true;
    f.nested_end = 0;
  }

  void wait_end(std::uint32_t number, event const& e) {
    frame& f = top(number, e.ticks);
    bool const was_waiting = std::exchange(f.waiting, false);
    f.since = e.ticks;
    auto const one = latest_.find(e.payload);
    bool const of_fork = e.payload != 0 && one != latest_.end() && is_open(f.task, one->second);
    if (was_waiting) bury(f, of_fork ? one->second : none, e.ticks);
    if (of_fork) return;  // a join follows
    join_over(f.task, e.ticks);
  }

  bool is_open(std::uint32_t parent, std::uint32_t child) const {
    auto const* const found = open_.find(parent);
    return found != nullptr && std::find(found->begin(), found->end(), child) != found->end();
  }

  // Was the wait longer than what it was for, because another task ran meanwhile?
  void bury(frame const& f, std::uint32_t child, std::uint64_t now) {
    if (f.nested_end == 0) return;
    std::uint64_t due = 0;
    auto const see = [&](std::uint32_t c) { due = std::max(due, made_.tasks[c].over ? made_.tasks[c].ended : now); };
    if (child != none) {
      see(child);
    } else if (auto const* const found = open_.find(f.task); found != nullptr) {
      for (std::uint32_t c : *found) see(c);
    }
    if (due == 0 || due >= f.nested_end || f.nested_end - due < 2 * moment_) return;
    ++made_.buried_waits;
    made_.buried_time += static_cast<picoseconds>(static_cast<double>(f.nested_end - due) * ps_per_tick_);
  }

  void join(std::uint32_t number, event const& e) {
    frame& f = top(number, e.ticks);
    f.since = e.ticks;
    auto const found = latest_.find(e.payload);
    if (found == latest_.end() || made_.tasks[found->second].parent != f.task) return;
    append(f.task, what::join, found->second);
    auto& open = open_[f.task];
    open.erase(std::remove(open.begin(), open.end(), found->second), open.end());
  }

  void name(std::uint32_t number, event const& e) {
    frame& f = top(number, e.ticks);
    if (e.payload == trace::named_by_code) {
      // The innermost name that the user has given counts for more. A task that begins with this is called so itself.
      traced_task& t = made_.tasks[f.task];
      std::uint32_t const own = t.named ? region_of(f) : region_of_label(lanes_[number].label);
      if (f.regions.empty() && f.task != 0 && !t.named) {
        for (std::uint32_t i = t.first; i != none; i = made_.items[i].next) made_.items[i].region = own;
        t.region = own;
      }
      f.regions.push_back(own);
    } else if (e.payload != trace::no_name) {
      f.regions.push_back(region(trace_.names[e.payload]));
    } else if (!f.regions.empty()) {
      f.regions.pop_back();
    }
  }

  void finish() {
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
      if (i == 0 && !lanes_[0].frames.empty()) charge(0, std::max(trace_.end_ticks, lanes_[0].frames.back().since));
      while (!lanes_[i].frames.empty()) close(i, trace_.end_ticks);
    }
    drop_last_pauses();
    made_.recorded_time = static_cast<picoseconds>(static_cast<double>(trace_.end_ticks) * ps_per_tick_);
    made_.recorder_time = static_cast<picoseconds>(static_cast<double>(made_.events) * trace_.event_ns * 1000);
  }
};

}  // namespace

task_graph build_graph(trace const& t, graph_settings const& how) { return graph_builder(t, how).build(); }

}  // namespace ashlar::sim
