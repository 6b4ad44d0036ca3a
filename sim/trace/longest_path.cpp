// SPDX-License-Identifier: Apache-2.0
#include "trace/longest_path.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

using what = task_item::what;
constexpr std::uint32_t none = task_graph::none;

struct child_end {
  std::uint32_t child;
  picoseconds at;  // since the task's start
};

}  // namespace

longest_path::longest_path(task_graph const& g, picoseconds burden)
    : graph_(g),
      burden_(burden),
      spans_(g.tasks.size(), 0),
      last_child_(g.tasks.size(), none),
      spawn_at_(g.tasks.size(), none),
      blockers_(g.items.size(), none),
      before_(g.items.size(), none) {}

void longest_path::measure_tree(std::uint32_t root) {
  order_.assign(1, root);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    graph_.each_item(order_[i], [&](std::uint32_t, task_item const& item) {
      if (item.kind == what::spawn) order_.push_back(item.child);
    });
  }
  for (auto task = order_.rbegin(); task != order_.rend(); ++task) measure(*task);
}

void longest_path::measure(std::uint32_t task) {
  picoseconds now = 0;
  std::vector<child_end> open;
  std::uint32_t previous = none;
  auto const wait_for = [&](std::uint32_t item, child_end const& c) {
    if (c.at <= now) return;
    now = c.at;
    blockers_[item] = c.child;
  };
  graph_.each_item(task, [&](std::uint32_t i, task_item const& item) {
    before_[i] = previous;
    previous = i;
    blockers_[i] = none;
    if (item.kind == what::work) {
      now += item.time;
    } else if (item.kind == what::folded) {
      folded_part const& part = graph_.folded[item.child];
      now += part.span + burden_ * part.spawns;
    } else if (item.kind == what::spawn) {
      spawn_at_[item.child] = i;
      open.push_back({item.child, now + burden_ + spans_[item.child]});
    } else if (item.kind == what::join) {
      auto const found = std::find_if(open.rbegin(), open.rend(), [&](auto const& c) { return c.child == item.child; });
      if (found == open.rend()) return;
      wait_for(i, *found);
      open.erase(std::next(found).base());
    } else if (item.kind == what::wait) {
      for (child_end const& c : open) wait_for(i, c);
      open.clear();
    }
  });
  last_child_[task] = none;
  for (child_end const& c : open) {
    if (c.at <= now) continue;
    now = c.at;
    last_child_[task] = c.child;
  }
  spans_[task] = now;
}

}  // namespace ashlar::sim
