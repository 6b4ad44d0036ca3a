// SPDX-License-Identifier: Apache-2.0
// A simulated task waits for all of its children at once, while a fork waits for one. So what runs between a fork and
// its join becomes a child of its own, if it spawns something: both halves of the fork are then siblings, and the join
// is a wait for the two.
#include "trace/task_graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ashlar::sim {

namespace {

using what = task_item::what;
constexpr std::uint32_t none = task_graph::none;

class converter {
 public:
  converter(task_graph const& g, part_costs const& costs)
      : graph_(g),
        costs_(costs),
        numbers_(g.tasks.size(), none),
        most_children_(std::clamp<std::uint64_t>(program_tasks / (g.folded.size() + 1), 1, 16)) {
    for (std::string const& name : g.regions) builder_.add_region(name);
  }

  recorded_program convert() {
    numbers_[0] = builder_.add_task(graph_.tasks[0].region);
    std::vector<std::uint32_t> order{0};
    while (!order.empty()) {
      std::uint32_t const task = order.back();
      order.pop_back();
      steps(task, order);
    }
    return builder_.build();
  }

 private:
  struct open_fork {
    std::uint32_t child;
    std::uint32_t outside;  // the program's task that forked
  };

  static constexpr std::uint64_t program_tasks = 400'000;  // that folded parts may add

  // The part's span as work, and the rest side by side with it.
  void add_part(std::uint32_t to, folded_part const& part) {
    picoseconds const spawns = part.tasks * costs_.task;
    // Who would run it alone in less time than thieves need for their help, does.
    picoseconds const longest = std::min(part.work, part.span + part.spawns * costs_.theft);
    double const share = part.work == 0 ? 1 : static_cast<double>(longest) / static_cast<double>(part.work);
    picoseconds const own =
        std::min(part.work + spawns, longest + static_cast<picoseconds>(static_cast<double>(spawns) * share));
    picoseconds const rest = part.work + spawns - own;
    std::uint64_t const children =
        rest == 0 ? 0 : std::min<std::uint64_t>(most_children_, own == 0 ? 1 : (rest + own - 1) / own);
    for (std::uint64_t i = 0; i < children; ++i) {
      std::uint32_t const child = builder_.add_task(part.regions.empty() ? 0 : part.regions.front().region);
      builder_.spawn(to, child);
      builder_.work(child, rest / children + (i < rest % children ? 1 : 0));
    }
    if (own != 0) builder_.work(to, own);
    added_ = children != 0;
  }

  std::vector<std::uint32_t> items_of(std::uint32_t task) const {
    std::vector<std::uint32_t> result;
    graph_.each_item(task, [&](std::uint32_t i, task_item const& item) {
      if (item.kind != what::nothing) result.push_back(i);
    });
    return result;
  }

  // The children that are joined after others were spawned: what runs between such a fork and its join spawns
  // something.
  std::unordered_set<std::uint32_t> joined_late(std::vector<std::uint32_t> const& items) const {
    std::unordered_map<std::uint32_t, std::size_t> spawned;  // child -> number of the spawn
    std::unordered_set<std::uint32_t> result;
    for (std::uint32_t const i : items) {
      task_item const& item = graph_.items[i];
      if (item.kind == what::spawn) spawned.emplace(item.child, spawned.size());
      if (item.kind != what::join) continue;
      auto const fork = spawned.find(item.child);
      if (fork != spawned.end() && fork->second + 1 != spawned.size()) result.insert(item.child);
    }
    return result;
  }

  void steps(std::uint32_t task, std::vector<std::uint32_t>& found) {
    auto const items = items_of(task);
    auto const late = joined_late(items);
    std::uint32_t current = numbers_[task];
    std::vector<open_fork> forks;
    bool children = false;  // of `current`, since its last wait
    auto const wait = [&] {
      if (std::exchange(children, false)) builder_.wait(current);
    };
    for (std::uint32_t const i : items) {
      task_item const& item = graph_.items[i];
      switch (item.kind) {
        case what::work:
          builder_.work(current, item.time);
          break;
        case what::spawn: {
          numbers_[item.child] = builder_.add_task(graph_.tasks[item.child].region);
          builder_.spawn(current, numbers_[item.child]);
          found.push_back(item.child);
          children = true;
          if (late.count(item.child) == 0) break;
          std::uint32_t const half = builder_.add_task(graph_.tasks[task].region);
          builder_.spawn(current, half);
          forks.push_back({item.child, current});
          current = half;
          children = false;
          break;
        }
        case what::folded: {
          bool const quiet = !children;
          add_part(current, graph_.folded[item.child]);
          children = children || added_;
          if (quiet) wait();
          break;
        }
        case what::join:
          if (!forks.empty() && forks.back().child == item.child) {
            current = forks.back().outside;
            forks.pop_back();
            children = true;
          }
          wait();
          break;
        case what::wait:
          wait();
          break;
        case what::nothing:
          break;
      }
    }
  }

  task_graph const& graph_;
  part_costs const costs_;
  bool added_ = false;  // the last folded part has made tasks
  recorded_program::builder builder_;
  std::vector<std::uint32_t> numbers_;  // of the graph's tasks in the program
  std::uint64_t const most_children_;
};

}  // namespace

recorded_program to_program(task_graph const& g, part_costs const& costs) { return converter(g, costs).convert(); }

}  // namespace ashlar::sim
