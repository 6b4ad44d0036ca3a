// SPDX-License-Identifier: Apache-2.0
#include "trace/critical_path.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

using what = task_item::what;
constexpr std::uint32_t none = task_graph::none;

class path_finder {
 public:
  path_finder(task_graph const& g, picoseconds burden)
      : graph_(g), burden_(burden), spans_(g.tasks.size(), 0), last_child_(g.tasks.size(), none),
        spawn_at_(g.tasks.size(), none), blockers_(g.items.size(), none), before_(g.items.size(), none) {
    result_.work_by_region.resize(g.regions.size(), 0);
    result_.path_by_region.resize(g.regions.size(), 0);
  }

  path_analysis find() {
    std::vector<std::uint32_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      graph_.each_item(order[i], [&](std::uint32_t, task_item const& item) {
        if (item.kind == what::spawn) order.push_back(item.child);
      });
    }
    for (auto task = order.rbegin(); task != order.rend(); ++task) measure(*task);
    result_.span = spans_[0];
    walk();
    return std::move(result_);
  }

 private:
  struct child_end {
    std::uint32_t child;
    picoseconds at;  // since the task's start
  };

  // The task's span; its children's are known.
  void measure(std::uint32_t task) {
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
      if (item.kind == what::work) {
        now += item.time;
        result_.work += item.time;
        result_.work_by_region[item.region] += item.time;
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
    for (child_end const& c : open) {
      if (c.at <= now) continue;
      now = c.at;
      last_child_[task] = c.child;
    }
    spans_[task] = now;
  }

  // Backwards along the longest path, from the root's end.
  void walk() {
    struct step {
      std::uint32_t task;
      std::uint32_t item;
    };
    std::vector<step> open;
    enter(open, 0);
    while (!open.empty()) {
      step& s = open.back();
      if (s.item == none) {
        open.pop_back();
        continue;
      }
      task_item const& item = graph_.items[s.item];
      if (item.kind == what::work) result_.path_by_region[item.region] += item.time;
      std::uint32_t const blocker = blockers_[s.item];
      s.item = blocker == none ? before_[s.item] : before_[spawn_at_[blocker]];
      if (blocker != none) enter(open, blocker);
    }
  }

  template <typename Stack>
  void enter(Stack& open, std::uint32_t task) {
    for (;;) {
      std::uint32_t const child = last_child_[task];
      open.push_back({task, child == none ? graph_.tasks[task].last : before_[spawn_at_[child]]});
      if (child == none) return;
      task = child;
    }
  }

  task_graph const& graph_;
  picoseconds const burden_;
  std::vector<picoseconds> spans_;           // of the task and all that it spawned
  std::vector<std::uint32_t> last_child_;    // the one that is over last, if later than the task itself
  std::vector<std::uint32_t> spawn_at_;      // its spawn item
  std::vector<std::uint32_t> blockers_;      // of a wait: the child that it waited for longest
  std::vector<std::uint32_t> before_;        // the item before
  path_analysis result_;
};

}  // namespace

path_analysis analyse_path(task_graph const& g, picoseconds burden) { return path_finder(g, burden).find(); }

}  // namespace ashlar::sim
