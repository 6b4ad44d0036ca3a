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
  explicit converter(task_graph const& g) : graph_(g), numbers_(g.tasks.size(), none) {
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

  std::vector<std::uint32_t> items_of(std::uint32_t task) const {
    std::vector<std::uint32_t> result;
    graph_.each_item(task, [&](std::uint32_t i, task_item const& item) {
      if (item.kind != what::nothing) result.push_back(i);
    });
    return result;
  }

  // The children that are joined after others were spawned: what runs between such a fork and its join spawns something.
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
  recorded_program::builder builder_;
  std::vector<std::uint32_t> numbers_;  // of the graph's tasks in the program
};

}  // namespace

recorded_program to_program(task_graph const& g) { return converter(g).convert(); }

}  // namespace ashlar::sim
