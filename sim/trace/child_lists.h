// SPDX-License-Identifier: Apache-2.0
// The children of each task that nobody has waited for yet. Most tasks have none: to find that out costs one look into
// a flat map.
#pragma once

#include "trace/flat_map.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::sim {

class child_lists {
 public:
  using list = std::vector<std::uint32_t>;

  // Null: none. A list stays where it is until another one is made.
  list* find(std::uint32_t task) {
    auto const at = places_.find(task);
    return at != places_.end() ? &lists_[at->second] : nullptr;
  }
  list const* find(std::uint32_t task) const { return const_cast<child_lists*>(this)->find(task); }

  list& operator[](std::uint32_t task) {
    auto const [at, fresh] =
        places_.try_emplace(task, free_.empty() ? static_cast<std::uint32_t>(lists_.size()) : free_.back());
    if (fresh && free_.empty()) {
      lists_.emplace_back();
    } else if (fresh) {
      free_.pop_back();
    }
    return lists_[at->second];
  }

  void erase(std::uint32_t task) {
    auto const at = places_.find(task);
    if (at == places_.end()) return;
    lists_[at->second].clear();
    free_.push_back(at->second);
    places_.erase(at);
  }

  // Tasks and children get the numbers that `numbers` has for them; those that are `gone` there are dropped.
  void renumber(std::vector<std::uint32_t> const& numbers, std::uint32_t gone) {
    child_lists made;
    for (auto const& [task, place] : places_) {
      if (numbers[task] == gone) continue;
      list& children = made[numbers[task]];
      children = std::move(lists_[place]);
      for (std::uint32_t& c : children) c = numbers[c];
      std::erase(children, gone);
    }
    *this = std::move(made);
  }

 private:
  flat_map<std::uint32_t> places_;  // task -> its list
  std::vector<list> lists_;
  std::vector<std::uint32_t> free_;  // places of lists
};

}  // namespace ashlar::sim
