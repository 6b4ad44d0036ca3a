// SPDX-License-Identifier: Apache-2.0
// Recursive fork-join programs.
#include "graphs/families.h"

namespace ashlar::sim {

namespace {

// fib(n): spawn fib(n-1), compute fib(n-2) as a second child, wait. Below the cutoff a task computes its whole subtree.
class fibonacci final : public program {
 public:
  explicit fibonacci(parameters const& p)
      : n_(p["n"]), cutoff_(p["cutoff"]), call_(static_cast<picoseconds>(p["call_ns"]) * nanosecond) {}

  task_state root() const override { return task(n_); }
  step next(task_state& self, task_state& child) const override {
    if (self.a < cutoff_ || self.a < 2) {
      if (self.pc++ == 0) return {step_kind::work, call_ * calls(self.a)};
      return {step_kind::end};
    }
    switch (self.pc++) {
      case 0:
        return {step_kind::work, call_};
      case 1:
        child = task(self.a - 1);
        return {step_kind::spawn};
      case 2:
        child = task(self.a - 2);
        return {step_kind::spawn};
      case 3:
        return {step_kind::wait};
      default:
        return {step_kind::end};
    }
  }
  join_kind join_of(task_state const& task) const override {
    return task.a < cutoff_ || task.a < 2 ? join_kind::inherited : join_kind::blocking;
  }
  std::string region_name(std::uint32_t) const override { return "fib"; }

 private:
  static task_state task(std::int64_t n) {
    task_state state;
    state.a = n;
    return state;
  }
  // Calls of the serial fib(n): 2 fib(n+1) - 1.
  static std::uint64_t calls(std::int64_t n) {
    std::uint64_t a = 1, b = 1;
    for (std::int64_t i = 1; i < n; ++i) {
      std::uint64_t const c = a + b + 1;
      a = b;
      b = c;
    }
    return b;
  }
  std::int64_t const n_;
  std::int64_t const cutoff_;
  picoseconds const call_;
};

}  // namespace

std::vector<graph> tree_graphs() {
  auto const fib = [](parameters const& p) -> std::unique_ptr<program> { return std::make_unique<fibonacci>(p); };
  return {
      {"fib",
       "Fibonacci numbers, a task per call",
       {{"n", 25, 0, 60, "which number"},
        {"cutoff", 0, 0, 60, "smaller numbers are computed serially"},
        {"call_ns", 2, 0, 1000000, "work per call"}},
       fib},
      {"fibcut",
       "The same, serial below 12",
       {{"n", 30, 0, 60, "which number"},
        {"cutoff", 12, 0, 60, "smaller numbers are computed serially"},
        {"call_ns", 2, 0, 1000000, "work per call"}},
       fib},
  };
}

}  // namespace ashlar::sim
