// SPDX-License-Identifier: Apache-2.0
#include "real/validation.h"

#include "engine/simulate.h"
#include "program/analysis.h"
#include "program/record.h"
#include "real/calibrate.h"
#include "real/median.h"
#include "real/real_run.h"

#include "os/clock.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ashlar::sim {

namespace {

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

// Short loops, each of 16 tasks of a microsecond, halved down to one.
class short_loops final : public program {
 public:
  static constexpr std::int64_t loops = 200;
  // `times`, if given, gets the ticks of each loop.
  explicit short_loops(std::vector<std::uint64_t>* times = nullptr) : times_(times) {}

  task_state root() const override { return {}; }
  step next(task_state& self, task_state& child) const override {
    return self.kind == 0 ? drive(self, child) : halve(self, child);
  }
  join_kind join_of(task_state const& t) const override {
    return t.kind == 0 ? join_kind::blocking : join_kind::inherited;
  }
  std::string region_name(std::uint32_t) const override { return "short loops"; }

 private:
  // a: loops begun; b: the last one's begin
  step drive(task_state& self, task_state& child) const {
    self.pc ^= 1;
    if (self.pc == 0) return {step_kind::wait};
    auto const now = static_cast<std::int64_t>(os::ticks());
    if (times_ != nullptr && self.a != 0) times_->push_back(static_cast<std::uint64_t>(now - self.b));
    self.b = now;
    if (self.a++ == loops) return {step_kind::end};
    child = {};
    child.kind = 1;
    child.b = 16;
    return {step_kind::spawn};
  }
  static step halve(task_state& self, task_state& child) {
    if (self.b - self.a == 1) return self.pc++ == 0 ? step{step_kind::work, microsecond} : step{step_kind::end};
    child = self;
    child.a = self.b = self.a + (self.b - self.a) / 2;
    return {step_kind::spawn};
  }
  std::vector<std::uint64_t>* const times_;
};

// This machine at the moment at which the costs were measured. The simulation goes by the pace at which the spinning
// work was measured, its results by the present average.
class present_machine {
 public:
  present_machine(machine const& on, unsigned threads, task_costs const& c) : on_(on), threads_(threads), costs_(c) {
    for (picoseconds* const t : {&costs_.task, &costs_.wait, &costs_.step, &costs_.line, &costs_.theft, &costs_.away}) {
      *t = static_cast<picoseconds>(static_cast<double>(*t) / c.peak);
    }
    set_task_costs(on_, costs_);
    if (threads > 1) measure_first_theft();
  }
  // Picoseconds.
  double predict(recorded_program const& p) const {
    options o;
    o.workers = threads_;
    o.group_counters = true;
    return costs_.pace * static_cast<double>(simulate(with_step_cost(p, costs_.step), on_, o).makespan);
  }

 private:
  // As long as short loops take in the model what they do here: in each of them one theft follows a pause. Their
  // typical one goes at the pace at which the other costs were measured.
  void measure_first_theft() {
    static recorded_program const p = record(short_loops());
    std::vector<std::uint64_t> times;
    for (int i = 0; i < 3; ++i) run_real(short_loops(&times), threads_);
    double const measured = static_cast<double>(median(times)) / os::ticks_per_ns() * nanosecond / costs_.peak;
    picoseconds least = 0, most = 8 * microsecond;
    while (most - least > 10 * nanosecond) {
      on_.costs.first_theft = (least + most) / 2;
      (predict(p) / costs_.pace < measured * short_loops::loops ? least : most) = on_.costs.first_theft;
    }
  }

  machine on_;
  unsigned const threads_;
  task_costs costs_;
};

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
    predicted.push_back(present_machine(on, threads, c).predict(p));
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
