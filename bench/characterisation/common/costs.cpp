// SPDX-License-Identifier: Apache-2.0
#include "common/costs.h"

#include "common/counts.h"

#if KERNEL_CLASSIC_TASKS
#include <tbb/task.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace study {

#if KERNEL_CLASSIC_TASKS

namespace {

constexpr std::size_t tasks = 1000, rounds = 301;

class empty : public tbb::task {
 public:
  tbb::task* execute() override { return nullptr; }
};

// Ticks of the steps of one round, per task (and per call for the last).
std::array<double, 4> take_round(tbb::task& root, std::vector<tbb::task*>& children) {
  root.set_ref_count(static_cast<int>(tasks) + 1);
  std::uint64_t const start = ticks();
  for (tbb::task*& child : children) {
    child = new (root.allocate_child()) empty;
  }
  std::uint64_t const allocated = ticks();
  for (tbb::task* child : children) {
    root.spawn(*child);
  }
  std::uint64_t const spawned = ticks();
  root.wait_for_all();
  std::uint64_t const waited = ticks();
  root.set_ref_count(1);
  root.wait_for_all();
  std::uint64_t const end = ticks();
  double const n = static_cast<double>(tasks);
  return {static_cast<double>(allocated - start) / n, static_cast<double>(spawned - allocated) / n,
          static_cast<double>(waited - spawned) / n, static_cast<double>(end - waited)};
}

}  // namespace

costs measure_costs() {
  std::vector<tbb::task*> children(tasks);
  std::array<std::vector<double>, 4> found;
  tbb::task& root = *new (tbb::task::allocate_root()) tbb::empty_task;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::array<double, 4> const one = take_round(root, children);
    for (std::size_t k = 0; k < one.size(); ++k) {
      found[k].push_back(one[k]);
    }
  }
  tbb::task::destroy(root);
  std::array<double, 4> median;
  for (std::size_t k = 0; k < found.size(); ++k) {
    std::nth_element(found[k].begin(), found[k].begin() + rounds / 2, found[k].end());
    median[k] = found[k][rounds / 2];
  }
  return {true, median[0], median[1], median[2], std::max(0.0, median[3] - ticks_per_reading())};
}

#else

costs measure_costs() { return {}; }

#endif

}  // namespace study
