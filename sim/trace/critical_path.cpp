// SPDX-License-Identifier: Apache-2.0
#include "trace/critical_path.h"

#include "trace/longest_path.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

using what = task_item::what;
constexpr std::size_t most_steps = 10'000;

void add_work(task_graph const& g, path_analysis& to) {
  for (std::uint32_t task = 0; task < g.tasks.size(); ++task) {
    g.each_item(task, [&](std::uint32_t, task_item const& item) {
      if (item.kind == what::work) {
        to.work += item.time;
        to.work_by_region[item.region] += item.time;
      } else if (item.kind == what::folded) {
        to.work += g.folded[item.child].work;
        for (auto const& r : g.folded[item.child].regions) to.work_by_region[r.region] += r.work;
      }
    });
  }
}

// Half of the steps go, the shortest: their time becomes a gap.
void thin(std::vector<path_step>& steps) {
  std::vector<picoseconds> times;
  for (path_step const& s : steps) times.push_back(s.time);
  auto const middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  std::erase_if(steps, [least = *middle](path_step const& s) { return s.time <= least; });
}

}  // namespace

path_analysis analyse_path(task_graph const& g, picoseconds burden) {
  path_analysis made;
  made.work_by_region.resize(g.regions.size(), 0);
  made.path_by_region.resize(g.regions.size(), 0);
  add_work(g, made);
  longest_path path(g, burden);
  path.measure_tree(0);
  made.span = path.span(0);
  picoseconds end = 0;  // of the path, seen from its end
  auto const step = [&](std::uint32_t region, picoseconds time) {
    made.path_by_region[region] += time;
    if (!made.steps.empty() && made.steps.back().region == region && made.steps.back().begin == end) {
      made.steps.back().time += time;
      made.steps.back().begin += time;
    } else if (time != 0) {
      made.steps.push_back({region, end + time, time});
      if (made.steps.size() > most_steps) thin(made.steps);
    }
    end += time;
  };
  path.walk(0, [&](task_item const& item) {
    if (item.kind == what::work) return step(item.region, item.time);
    auto const& regions = g.folded[item.child].regions;
    for (auto r = regions.rbegin(); r != regions.rend(); ++r) step(r->region, r->path);
  });
  std::reverse(made.steps.begin(), made.steps.end());
  for (path_step& s : made.steps) s.begin = end - s.begin;
  return made;
}

}  // namespace ashlar::sim
