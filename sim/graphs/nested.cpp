// SPDX-License-Identifier: Apache-2.0
// Programs of flat or nested groups: swaptions, pipeline, bag of tasks.
#include "graphs/families.h"
#include "graphs/halved.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ashlar::sim {

namespace {

// An outer loop over swaptions, a task each. A swaption is a series of batches of paths: an inner loop that its task
// waits for, then a serial sum. A path has as many steps as its swaption.
class swaptions final : public program {
 public:
  explicit swaptions(parameters const& p)
      : count_(p["swaptions"]),
        batches_(p["batches"]),
        inner_(p["inner"]),
        step_(in_nanoseconds(p["step_ns"])),
        serial_(in_nanoseconds(p["serial_ns"])),
        steps_(static_cast<std::size_t>(count_)) {
    auto const least = static_cast<std::uint64_t>(p["least_steps"]);
    std::uint64_t const lengths = std::max(least, static_cast<std::uint64_t>(p["most_steps"])) - least + 1;
    for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] = static_cast<std::uint16_t>(least + i % lengths);
    auto seed = static_cast<std::uint64_t>(p["seed"]);
    for (std::size_t i = steps_.size(); i > 1; --i) std::swap(steps_[i - 1], steps_[splitmix(seed) % i]);
  }

  static graph_size size(parameters const& p) {
    auto const count = static_cast<double>(p["swaptions"]), batches = count * static_cast<double>(p["batches"]);
    double const tasks = batches * static_cast<double>(p["inner"]);
    std::int64_t const least = p["least_steps"], lengths = std::max<std::int64_t>(0, p["most_steps"] - least) + 1;
    std::int64_t const whole = p["swaptions"] / lengths, rest = p["swaptions"] % lengths;
    // A swaption of each length in turn.
    auto const steps =
        static_cast<double>(least * p["swaptions"] + whole * (lengths * (lengths - 1) / 2) + rest * (rest - 1) / 2);
    double const open = 3 + halved(p["swaptions"], 1).levels + halved(p["inner"], 1).levels;
    return {2 * count + tasks, tasks / count * steps * ns(p["step_ns"]) + batches * ns(p["serial_ns"]), open, open};
  }

  task_state root() const override { return range(outer, 0, count_); }
  step next(task_state& self, task_state& child) const override {
    switch (self.kind) {
      case outer:
        return split(self, child);
      case swaption:
        return price(self, child);
      default:
        return split(self, child);
    }
  }
  join_kind join_of(task_state const& task) const override {
    return task.kind == swaption ? join_kind::blocking : join_kind::inherited;
  }
  std::string region_name(std::uint32_t region) const override {
    return region == outer ? "outer loop" : region == swaption ? "swaption" : "inner loop";
  }

 private:
  enum : std::uint32_t { outer, swaption, inner };
  static task_state range(std::uint32_t kind, std::int64_t begin, std::int64_t end, std::int64_t of = 0) {
    task_state state;
    state.kind = kind;
    state.a = begin;
    state.b = end;
    state.c = of;
    return state;
  }
  // A range of swaptions or of inner items, halved down to one. An inner one's c: its swaption.
  step split(task_state& self, task_state& child) const {
    if (self.pc != 0) return {step_kind::end};
    if (halve(self, child, 1)) return {step_kind::spawn};
    self.pc = 1;
    if (self.kind == inner) return {step_kind::work, step_ * steps_[static_cast<std::size_t>(self.c)]};
    // A task of its own: the waits of a swaption are not for the other half of the range.
    child = range(swaption, self.a, self.b);
    return {step_kind::spawn};
  }
  // a: its number, c: batches done; pc: 0 spawn, 1 wait, 2 sum.
  step price(task_state& self, task_state& child) const {
    if (self.c == batches_) return {step_kind::end};
    switch (self.pc++) {
      case 0:
        child = range(inner, 0, inner_, self.a);
        return {step_kind::spawn};
      case 1:
        return {step_kind::wait};
      default:
        self.pc = 0;
        ++self.c;
        return {step_kind::work, serial_};
    }
  }
  std::int64_t const count_, batches_, inner_;
  picoseconds const step_, serial_;
  std::vector<std::uint16_t> steps_;  // of the paths of each swaption: as many of each length, shuffled
};

// The root reads tokens one by one, each gets a task for the parallel filter, and when as many are in flight as there
// may be, it waits for them and writes them in order. A real pipeline writes each as soon as its predecessors are out.
class pipeline final : public program {
 public:
  explicit pipeline(parameters const& p)
      : tokens_(p["tokens"]),
        flight_(p["in_flight"]),
        in_(in_nanoseconds(p["in_ns"])),
        filter_(in_nanoseconds(p["filter_ns"])),
        out_(in_nanoseconds(p["out_ns"])) {}
  static graph_size size(parameters const& p) {
    auto const tokens = static_cast<double>(p["tokens"]);
    double const open = 1 + static_cast<double>(std::min(p["tokens"], p["in_flight"]));
    return {1 + tokens, tokens * ns(p["in_ns"] + p["filter_ns"] + p["out_ns"]), open, 0};
  }

  task_state root() const override { return {}; }
  step next(task_state& self, task_state& child) const override {
    if (self.kind == 1) return self.pc++ == 0 ? step{step_kind::work, filter_} : step{step_kind::end};
    // a: tokens read; pc: 0 read, 1 spawn, 2 wait, 3 write
    switch (self.pc) {
      case 0:
        if (self.a == tokens_) return {step_kind::end};
        self.pc = 1;
        return {step_kind::work, in_};
      case 1:
        ++self.a;
        self.pc = self.a % flight_ == 0 || self.a == tokens_ ? 2 : 0;
        child = {};
        child.kind = 1;
        return {step_kind::spawn};
      case 2:
        self.pc = 3;
        return {step_kind::wait};
      default:
        self.pc = 0;
        return {step_kind::work, out_ * static_cast<std::uint64_t>((self.a - 1) % flight_ + 1)};
    }
  }
  join_kind join_of(task_state const& task) const override {
    return task.kind == 0 ? join_kind::blocking : join_kind::inherited;
  }
  std::string region_name(std::uint32_t region) const override {
    return region == 0 ? "serial filters" : "parallel filter";
  }

 private:
  std::int64_t const tokens_, flight_;
  picoseconds const in_, filter_, out_;
};

// All tasks lie in one worker's deque at the beginning (Gast et al. 2018).
class bag final : public program {
 public:
  explicit bag(parameters const& p) : tasks_(p["tasks"]), work_(in_nanoseconds(p["task_ns"])) {}
  static graph_size size(parameters const& p) {
    auto const tasks = static_cast<double>(p["tasks"]);
    return {1 + tasks, tasks * ns(p["task_ns"]), 1 + tasks, 0};
  }

  task_state root() const override { return {}; }
  step next(task_state& self, task_state& child) const override {
    if (self.kind == 1) return self.pc++ == 0 ? step{step_kind::work, work_} : step{step_kind::end};
    if (self.a < tasks_) {
      ++self.a;
      child = {};
      child.kind = 1;
      return {step_kind::spawn};
    }
    return self.pc++ == 0 ? step{step_kind::wait} : step{step_kind::end};
  }
  join_kind join_of(task_state const& task) const override {
    return task.kind == 0 ? join_kind::blocking : join_kind::inherited;
  }
  std::string region_name(std::uint32_t region) const override { return region == 0 ? "spawner" : "task"; }

 private:
  std::int64_t const tasks_;
  picoseconds const work_;
};

}  // namespace

std::vector<graph> nested_graphs() {
  return {
      {"swaptions",
       "Monte Carlo pricing: long tasks with many short nested waits",
       {{"swaptions", 64, 1, 1000000, "swaptions, a task each"},
        {"batches", 128, 1, 1000000, "batches of paths of each (simlarge has 512)"},
        {"inner", 16, 1, 100000, "tasks of a batch's loop"},
        {"step_ns", 1000, 0, 1000000000, "work of such a task, four paths, for a step of its swaption"},
        {"least_steps", 2, 1, 1000, "steps of the shortest swaption"},
        {"most_steps", 9, 1, 1000, "steps of the longest one"},
        {"serial_ns", 100, 0, 1000000000, "serial work after each batch"},
        {"seed", 1, 0, 1000000000, "seed of their order"}},
       make<swaptions>,
       swaptions::size},
      {"pipeline",
       "Serial input, a parallel filter, ordered output",
       {{"tokens", 2000, 1, 10000000, "tokens"},
        {"in_flight", 64, 1, 1000000, "tokens in flight, at most"},
        {"in_ns", 500, 0, 1000000000, "work of the input filter"},
        {"filter_ns", 20000, 0, 1000000000, "work of the parallel filter"},
        {"out_ns", 500, 0, 1000000000, "work of the output filter"}},
       make<pipeline>,
       pipeline::size},
      {"bag",
       "Equal tasks, all in one deque",
       {{"tasks", 10000, 1, 100000000, "tasks"}, {"task_ns", 1000, 0, 1000000000, "work of each"}},
       make<bag>,
       bag::size},
  };
}

}  // namespace ashlar::sim
