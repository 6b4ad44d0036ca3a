// SPDX-License-Identifier: Apache-2.0
// The new graph is made beside the old one, from the root down. To fold a list of the old graph's items, the list
// becomes that of a scratch task, which is measured: the old lists are cut and linked anew on the way.
#include "trace/folding.h"

#include "trace/longest_path.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ashlar::sim {

namespace {

using what = task_item::what;
constexpr std::uint32_t none = task_graph::none;
using item_list = std::vector<std::uint32_t>;

struct total {
  picoseconds work = 0;
  std::uint64_t tasks = 0;
  bool closed = true;

  void add(total const& t) {
    work += t.work;
    tasks += t.tasks;
    closed = closed && t.closed;
  }
};

class folder {
 public:
  folder(task_graph& g, fold_request const& how)
      : old_(g),
        how_(how),
        scratch_(static_cast<std::uint32_t>(g.tasks.size())),
        totals_(g.tasks.size()),
        sums_(g.regions.size()) {
    old_.tasks.emplace_back();
    numbers_.tasks.resize(g.tasks.size(), none);
    numbers_.items.resize(g.items.size(), none);
  }

  fold_result run() {
    for (std::uint32_t t = scratch_; t-- > 0;) sum_up(t);
    path_.emplace(old_, 0);
    keep(0, none);
    for (std::size_t i = 0; i < kept_.size(); ++i) process(kept_[i]);
    old_.tasks = std::move(tasks_);
    old_.items = std::move(items_);
    old_.folded = std::move(folded_);
    numbers_.tasks.resize(scratch_);
    return std::move(numbers_);
  }

 private:
  bool is_open(std::uint32_t task) const { return task < how_.open.size() && how_.open[task]; }
  bool small(total const& t) const { return t.work <= how_.most_work && t.tasks <= how_.most_tasks; }
  // A spawn of a task that may still begin.
  bool is_pending(task_item const& i) const { return i.kind == what::nothing && i.child != none && is_open(i.child); }

  // What the item adds to its task's total.
  total of(std::uint32_t parent, task_item const& item) const {
    switch (item.kind) {
      case what::work:
        return {item.time, 0, true};
      case what::folded:
        return {old_.folded[item.child].work, old_.folded[item.child].tasks, true};
      case what::spawn:
        // A child's number is above its parent's but where clocks disagree.
        return item.child > parent ? totals_[item.child] : total{0, 0, false};
      default:
        return {0, 0, !is_pending(item)};
    }
  }

  void sum_up(std::uint32_t task) {
    total t{0, task == 0 ? 0u : 1u, old_.tasks[task].over && !is_open(task)};
    old_.each_item(task, [&](std::uint32_t, task_item const& item) { t.add(of(task, item)); });
    totals_[task] = t;
  }

  // The task is there under a new number; its items follow.
  std::uint32_t keep(std::uint32_t task, std::uint32_t parent) {
    kept_.push_back(task);
    return add(task, parent);
  }

  std::uint32_t add(std::uint32_t task, std::uint32_t parent) {
    auto const number = static_cast<std::uint32_t>(tasks_.size());
    numbers_.tasks[task] = number;
    traced_task t = old_.tasks[task];
    t.first = t.last = none;
    t.parent = parent;
    tasks_.push_back(t);
    return number;
  }

  std::uint32_t append(std::uint32_t number, task_item item) {
    auto const at = static_cast<std::uint32_t>(items_.size());
    item.next = none;
    items_.push_back(item);
    traced_task& t = tasks_[number];
    (t.last == none ? t.first : items_[t.last].next) = at;
    t.last = at;
    return at;
  }

  void process(std::uint32_t task) {
    std::uint32_t const number = numbers_.tasks[task];
    item_list list;
    old_.each_item(task, [&](std::uint32_t i, task_item const& item) {
      if (item.kind != what::nothing || is_pending(item)) list.push_back(i);
    });
    if (totals_[task].closed && small(totals_[task]) && task != 0) return put_part(number, task, list);
    if (how_.stretches) return process_stretches(number, task, list);
    put(number, task, list);
  }

  // The list's work as one part, or as it is if there is nothing to gain.
  void put_part(std::uint32_t number, std::uint32_t task, item_list const& list) {
    if (list.empty() || (list.size() == 1 && old_.items[list[0]].kind != what::spawn)) return put(number, task, list);
    append(number, {what::folded, old_.tasks[task].region, add_part(list), none, 0});
  }

  // Cuts the list where no child is left unjoined, and folds as many of these stretches together as are small.
  void process_stretches(std::uint32_t number, std::uint32_t task, item_list const& list) {
    std::unordered_set<std::uint32_t> unjoined;
    item_list ready, stretch;  // what is before the last such place and small; what comes after it
    total of_ready, of_stretch;
    auto const flush = [&] {
      put_part(number, task, ready);
      ready.clear();
      of_ready = {};
    };
    for (std::uint32_t const i : list) {
      task_item const& item = old_.items[i];
      stretch.push_back(i);
      of_stretch.add(of(task, item));
      if (item.kind == what::spawn || is_pending(item)) unjoined.insert(item.child);
      if (item.kind == what::join) unjoined.erase(item.child);
      if (item.kind == what::wait && of_stretch.closed) unjoined.clear();
      if (!unjoined.empty()) continue;
      total sum = of_ready;
      sum.add(of_stretch);
      if (!sum.closed || !small(sum)) flush();
      if (of_stretch.closed && small(of_stretch)) {
        ready.insert(ready.end(), stretch.begin(), stretch.end());
        of_ready.add(of_stretch);
      } else {
        put(number, task, stretch);
      }
      stretch.clear();
      of_stretch = {};
    }
    flush();
    put(number, task, stretch);
  }

  // The children that are joined one by one, with the number of the row of joins in which they are.
  std::unordered_map<std::uint32_t, unsigned> joined_by_name(item_list const& list) const {
    std::unordered_map<std::uint32_t, unsigned> made;
    unsigned row = 1;
    for (std::uint32_t const i : list) {
      if (old_.items[i].kind == what::join) {
        made.emplace(old_.items[i].child, row);
      } else {
        ++row;
      }
    }
    return made;
  }

  // The items one by one; small siblings that are waited for together become one.
  void put(std::uint32_t number, std::uint32_t task, item_list const& list) {
    auto const joins = joined_by_name(list);
    auto const join_of = [&](std::uint32_t child) {
      auto const found = joins.find(child);
      return found == joins.end() ? 0 : found->second;
    };
    item_list siblings;
    total together;
    std::uint32_t first = none;  // the siblings' place
    auto const flush = [&] {
      if (!siblings.empty()) put_siblings(number, siblings, first);
      siblings.clear();
      together = {};
    };
    for (std::uint32_t const i : list) {
      task_item const& item = old_.items[i];
      if (item.kind == what::spawn) {
        total const t = of(task, item);
        bool const alike = t.closed && small(t);
        total sum = together;
        sum.add(t);
        bool const with = siblings.empty() || join_of(old_.items[siblings.front()].child) == join_of(item.child);
        if (!alike || !with || !small(sum)) flush();
        if (siblings.empty()) first = append(number, {what::spawn, item.region, none, none, 0});
        siblings.push_back(i);
        together.add(t);
        if (!alike) flush();
        continue;
      }
      together.add(of(task, item));
      if (item.kind == what::wait || item.kind == what::join || !small(together)) flush();
      put_item(number, i);
    }
    flush();
  }

  void put_item(std::uint32_t number, std::uint32_t i) {
    task_item item = old_.items[i];
    if (item.kind == what::nothing) keep(item.child, number);
    if (item.kind == what::join || item.kind == what::nothing) item.child = numbers_.tasks[item.child];
    if (item.kind == what::join && item.child == none) return;
    if (item.kind == what::folded) {
      folded_.push_back(std::move(old_.folded[item.child]));
      item.child = static_cast<std::uint32_t>(folded_.size() - 1);
    }
    std::uint32_t const last = tasks_[number].last;
    if (item.kind == what::work && last != none && items_[last].kind == what::work &&
        items_[last].region == item.region) {
      items_[last].time += item.time;
      numbers_.items[i] = last;
      return;
    }
    numbers_.items[i] = append(number, item);
  }

  void put_siblings(std::uint32_t number, item_list const& siblings, std::uint32_t place) {
    std::uint32_t const first = old_.items[siblings.front()].child;
    for (std::uint32_t const i : siblings) numbers_.items[i] = place;
    if (siblings.size() == 1) {
      items_[place].child = keep(first, number);
      return;
    }
    std::uint32_t const child = add(first, number);
    items_[place].child = child;
    for (std::uint32_t const i : siblings) {
      tasks_[child].ended = std::max(tasks_[child].ended, old_.tasks[old_.items[i].child].ended);
    }
    std::uint32_t const part = add_part(siblings);
    // One of them is the child itself.
    --folded_[part].tasks;
    for (auto& r : folded_[part].regions) r.tasks -= r.region == tasks_[child].region ? 1 : 0;
    append(child, {what::folded, tasks_[child].region, part, none, 0});
  }

  std::uint32_t add_part(item_list const& list);
  void sum_regions();

  struct region_totals {
    picoseconds work = 0, path = 0;
    std::uint64_t tasks = 0;
    bool touched = false;
  };
  region_totals& sums(std::uint32_t region) {
    if (!std::exchange(sums_[region].touched, true)) touched_.push_back(region);
    return sums_[region];
  }

  task_graph& old_;
  fold_request const& how_;
  std::uint32_t const scratch_;
  std::vector<total> totals_;
  std::vector<region_totals> sums_;
  std::vector<std::uint32_t> touched_;
  std::optional<longest_path> path_;  // made when the scratch task is there
  std::vector<traced_task> tasks_;
  std::vector<task_item> items_;
  std::vector<folded_part> folded_;
  std::vector<std::uint32_t> kept_;
  fold_result numbers_;
};

std::uint32_t folder::add_part(item_list const& list) {
  traced_task& scratch = old_.tasks[scratch_];
  scratch.first = list.front();
  scratch.last = list.back();
  for (std::size_t i = 0; i < list.size(); ++i) old_.items[list[i]].next = i + 1 < list.size() ? list[i + 1] : none;
  longest_path& path = *path_;
  path.measure_tree(scratch_);
  folded_part part;
  sum_regions();
  std::uint32_t inner = 0;
  part.spawns = path.walk(scratch_, [&](task_item const& item) {
    if (item.kind == what::work) {
      sums(item.region).path += item.time;
      return;
    }
    inner += old_.folded[item.child].spawns;
    for (auto const& r : old_.folded[item.child].regions) sums(r.region).path += r.path;
  });
  part.spawns += inner;
  for (std::uint32_t const r : touched_) {
    region_totals& t = sums_[r];
    part.work += t.work;
    part.tasks += t.tasks;
    part.regions.push_back({r, t.work, how_.serial ? t.work : t.path, t.tasks});
    t = {};
  }
  touched_.clear();
  part.span = how_.serial ? part.work : path.span(scratch_);
  if (how_.serial) part.spawns = 0;
  folded_.push_back(std::move(part));
  return static_cast<std::uint32_t>(folded_.size() - 1);
}

// Work and tasks below the scratch task.
void folder::sum_regions() {
  std::vector<std::uint32_t> order{scratch_};
  for (std::size_t i = 0; i < order.size(); ++i) {
    old_.each_item(order[i], [&](std::uint32_t, task_item const& item) {
      if (item.kind == what::work) sums(item.region).work += item.time;
      if (item.kind == what::folded) {
        for (auto const& r : old_.folded[item.child].regions) {
          region_totals& to = sums(r.region);
          to.work += r.work;
          to.tasks += r.tasks;
        }
      }
      if (item.kind != what::spawn) return;
      order.push_back(item.child);
      ++sums(old_.tasks[item.child].region).tasks;
    });
  }
}

}  // namespace

fold_result fold(task_graph& g, fold_request const& how) { return folder(g, how).run(); }

}  // namespace ashlar::sim
