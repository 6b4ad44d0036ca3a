// SPDX-License-Identifier: Apache-2.0
#include "program/analysis.h"

#include <algorithm>
#include <vector>

namespace ashlar::sim {

namespace {

// The length of the longest path to a point of a task, and to the end of any child that it has not joined yet.
struct path {
  picoseconds here = 0;
  picoseconds children = 0;
  void join() noexcept { here = std::max(here, children); }
};

struct open_task {
  task_state state;
  path plain;
  path burdened;
};

}  // namespace

analysis analyse(program const& p, picoseconds burden) {
  analysis result;
  result.tasks = 1;
  std::vector<open_task> open{{p.root(), {}, {}}};
  task_state child;
  while (!open.empty()) {
    result.most_open = std::max<std::uint64_t>(result.most_open, open.size());
    open_task& top = open.back();
    step const s = p.next(top.state, child);
    switch (s.kind) {
      case step_kind::work:
        ++result.work_steps;
        result.work += s.work;
        top.plain.here += s.work;
        top.burdened.here += s.work;
        break;
      case step_kind::spawn: {
        ++result.spawns;
        ++result.tasks;
        open_task const born{child, {top.plain.here, 0}, {top.burdened.here + burden, 0}};
        open.push_back(born);
        break;
      }
      case step_kind::wait:
      case step_kind::wait_continuation:
        ++result.waits;
        top.plain.join();
        top.burdened.join();
        break;
      case step_kind::end: {
        open_task over = top;
        open.pop_back();
        over.plain.join();
        over.burdened.join();
        if (open.empty()) {
          result.span = over.plain.here;
          result.burdened_span = over.burdened.here;
          break;
        }
        path& plain = open.back().plain;
        path& burdened = open.back().burdened;
        plain.children = std::max(plain.children, over.plain.here);
        burdened.children = std::max(burdened.children, over.burdened.here);
        break;
      }
    }
  }
  return result;
}

}  // namespace ashlar::sim
