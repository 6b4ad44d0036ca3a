// SPDX-License-Identifier: Apache-2.0
#include "trace/graph_state.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

constexpr std::uint32_t gone = traced_task::none;

// The map with new numbers for its keys; those that are gone are dropped.
void renumber_keys(flat_map<std::uint32_t>& map, std::vector<std::uint32_t> const& numbers) {
  flat_map<std::uint32_t> made;
  for (auto const& [key, value] : map) {
    if (numbers[key] != gone) made.try_emplace(numbers[key], value);
  }
  map = std::move(made);
}

template <typename Key>
void renumber_values(flat_map<Key>& map, std::vector<std::uint32_t> const& numbers) {
  map.erase_if([&](auto& entry) { return (entry.second = numbers[entry.second]) == gone; });
}

}  // namespace

void graph_state::charge(std::uint32_t number, std::uint64_t now) {
  lane_state& l = lanes_[number];
  std::uint64_t const lost = std::exchange(l.lost, 0), blocked = std::exchange(l.blocked, 0);
  if (l.frames.empty()) return;
  frame& f = l.frames.back();
  std::uint64_t const since = std::exchange(f.since, now);
  std::uint64_t ticks = now - since;
  ticks -= std::min(ticks, lost);
  ticks -= std::min(ticks, event_ticks_);
  if (f.waiting || ticks == 0) return;
  auto const time = static_cast<picoseconds>(static_cast<double>(ticks) * ps_per_tick_);
  std::uint32_t const of = region_of(f);
  std::uint32_t const item = append(f.task, {what::work, of, none, none, time});
  made_.tasks[f.task].work += time;
  work_ += time;
  if (how_.watcher != nullptr) how_.watcher->worked(number, since, now, of);
  if (blocked == 0) return;
  auto const of_it =
      static_cast<picoseconds>(std::min(static_cast<double>(time), static_cast<double>(blocked) * ps_per_tick_));
  made_.blocked += of_it;
  if (f.task == 0) pauses_.push_back({item, of_it});
}

void graph_state::drop_last_pauses() {
  traced_task& main = made_.tasks[0];
  std::uint32_t last = 0;
  for (std::uint32_t i = main.first; i != none; i = made_.items[i].next) {
    if (made_.items[i].kind != what::work) last = i;
  }
  for (auto const& [item, time] : pauses_) {
    if (item < last) continue;
    made_.items[item].time -= time;
    main.work -= time;
    made_.blocked -= time;
  }
}

void graph_state::shrink(std::uint64_t now) {
  constexpr picoseconds parts_wanted = 8;
  std::size_t const wanted = how_.most_tasks / 2;
  picoseconds part = std::max(made_.largest_part, parts_wanted * work_ / how_.most_tasks);
  auto const size = [this] { return std::max(made_.tasks.size(), made_.items.size() / items_per_task); };
  for (;; part *= 2) {
    std::size_t const before = size();
    fold_request how = request(now);
    how.most_work = part;
    renumber(fold(made_, how));
    made_.largest_part = part;
    // What is left when larger parts don't help is open.
    if (size() <= wanted || size() + before / 8 > before) break;
  }
  most_tasks_ = std::max(how_.most_tasks, 2 * size());
}

fold_request graph_state::request(std::uint64_t now) {
  fold_request how;
  how.open.resize(made_.tasks.size());
  for (auto const& [task, item] : spawn_items_) how.open[task] = true;
  for (auto const& [address, task] : makers_) how.open[task] = true;
  // Whoever spawned it has told of it by now, or never will.
  constexpr std::uint64_t patience = 5000;
  orphans_.erase_if([&](auto const& entry) {
    traced_task const& t = made_.tasks[entry.second];
    bool const old = t.over && t.ended + patience * slack_ < now;
    if (old) places_.erase(entry.second);
    return old;
  });
  for (auto const& [address, task] : orphans_) how.open[task] = true;
  places_.erase_if([&](auto const& entry) { return !how.open[entry.first] && made_.tasks[entry.first].over; });
  return how;
}

void graph_state::renumber(fold_result const& numbers) {
  auto const& tasks = numbers.tasks;
  renumber_values(pending_, tasks);
  renumber_values(orphans_, tasks);
  renumber_values(latest_, tasks);
  renumber_values(makers_, tasks);
  renumber_keys(places_, tasks);
  renumber_values(places_, numbers.items);
  renumber_keys(spawn_items_, tasks);
  renumber_values(spawn_items_, numbers.items);
  renumber_keys(not_begun_, tasks);
  not_begun_.erase_if([](auto const& entry) { return entry.second == 0; });
  open_.renumber(tasks, gone);
  std::unordered_set<std::uint32_t> nested;
  for (std::uint32_t const task : nested_) {
    if (tasks[task] != none) nested.insert(tasks[task]);
  }
  nested_ = std::move(nested);
  for (lane_state& l : lanes_) {
    for (frame& f : l.frames) f.task = tasks[f.task];
  }
  std::erase_if(pauses_, [&](auto& p) { return (p.first = numbers.items[p.first]) == none; });
}

}  // namespace ashlar::sim
