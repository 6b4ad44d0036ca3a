// SPDX-License-Identifier: Apache-2.0
#include "real/validation.h"

#include "engine/simulate.h"
#include "program/analysis.h"
#include "real/calibrate.h"
#include "real/real_run.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ashlar::sim {

namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A program with a cost at each of its steps of work, and the wait of the real run for its root.
class with_step_cost final : public program {
 public:
  with_step_cost(program const& p, picoseconds cost) : inner_(p), cost_(cost) {}
  task_state root() const override { return inner_.root(); }
  step next(task_state& self, task_state& child) const override {
    if (self.seed == waited) return {step_kind::end};
    step s = inner_.next(self, child);
    if (s.kind == step_kind::work) s.work += cost_;
    if (s.kind == step_kind::end && is_root(self) && inner_.join_of(self) == join_kind::inherited) {
      self.seed = waited;
      return {step_kind::wait};
    }
    return s;
  }
  join_kind join_of(task_state const& t) const override { return is_root(t) ? join_kind::blocking : inner_.join_of(t); }
  std::string region_name(std::uint32_t r) const override { return inner_.region_name(r); }

 private:
  // A recorded program doesn't use the seed.
  static constexpr std::uint64_t waited = 1;
  static bool is_root(task_state const& t) { return recorded_program::index_of(t) == 0; }
  program const& inner_;
  picoseconds const cost_;
};

// The simulation goes by the pace at which the spinning work was measured, the result by the present average.
double predict(recorded_program const& p, machine& on, unsigned threads, task_costs c) {
  auto const at_pace = [&](picoseconds t) { return static_cast<picoseconds>(static_cast<double>(t) / c.peak); };
  c.task = at_pace(c.task);
  c.wait = at_pace(c.wait);
  c.line = at_pace(c.line);
  set_task_costs(on, c);
  options o;
  o.workers = threads;
  o.group_counters = true;
  return c.pace * static_cast<double>(simulate(with_step_cost(p, at_pace(c.step)), on, o).makespan);
}

}  // namespace

validation validate(recorded_program const& p, machine on, unsigned threads, int rounds, double least_cpus) {
  validation v;
  std::vector<double> real, predicted, errors, processors, lines, halves[2];
  analysis const a = analyse(p);
  picoseconds const typical_work = a.work / std::max<std::uint64_t>(1, a.work_steps);
  picoseconds const once = std::max<picoseconds>(1, run_real(p, threads).wall);
  unsigned const times = 1 + static_cast<unsigned>(20 * millisecond / once);
  for (int i = 0; i < 3 * rounds && v.rounds < rounds; ++i) {
    task_costs const c = measure_task_costs(threads, typical_work);
    real_result const r = run_real(p, threads, times);
    processors.push_back(static_cast<double>(r.cpu) / static_cast<double>(r.wall));
    if (processors.back() < least_cpus) {
      ++v.dropped;
      continue;
    }
    real.push_back(static_cast<double>(r.wall) / times);
    predicted.push_back(predict(p, on, threads, c));
    lines.push_back(static_cast<double>(c.line));
    errors.push_back(predicted.back() / real.back() - 1);
    halves[v.rounds++ % 2].push_back(real.back() / c.pace);
  }
  v.real = static_cast<picoseconds>(median(real));
  v.predicted = static_cast<picoseconds>(median(predicted));
  v.error = median(errors);
  v.processors = median(processors);
  v.line = static_cast<picoseconds>(median(lines));
  if (!halves[1].empty()) v.repeatability = std::fabs(median(halves[0]) / median(halves[1]) - 1);
  return v;
}

}  // namespace ashlar::sim
