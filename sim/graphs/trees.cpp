// SPDX-License-Identifier: Apache-2.0
// Recursive fork-join programs.
#include "graphs/families.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace ashlar::sim {

namespace {

// fib(n): spawn fib(n-1), compute fib(n-2) as a second child, wait. Below the cutoff a task computes its whole subtree.
class fibonacci final : public program {
 public:
  explicit fibonacci(parameters const& p) : n_(p["n"]), cutoff_(p["cutoff"]), call_(in_nanoseconds(p["call_ns"])) {}

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
  static graph_size size(parameters const& p) {
    std::int64_t const leaf = std::max<std::int64_t>(p["cutoff"], 2);
    double tasks[2] = {1, 1}, calls[2] = {1, 1};  // of n - 2 and n - 1
    for (std::int64_t n = 2; n <= p["n"]; ++n) {
      double const t = n < leaf ? 1 : 1 + tasks[0] + tasks[1], c = 1 + calls[0] + calls[1];
      tasks[0] = std::exchange(tasks[1], t);
      calls[0] = std::exchange(calls[1], c);
    }
    // Each task on the way down leaves its other child behind.
    double const open = p["n"] < leaf ? 1 : static_cast<double>(p["n"] - leaf + 3);
    return {tasks[1], calls[1] * ns(p["call_ns"]), open, open};
  }

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

// All placements of n queens: a task per partial board down to the cutoff, whose task searches the rest itself.
class queens final : public program {
 public:
  explicit queens(parameters const& p)
      : n_(p["n"]), cutoff_(p["cutoff"]), all_((1u << p["n"]) - 1), node_(in_nanoseconds(p["node_ns"])) {}

  task_state root() const override { return {}; }
  // a: columns taken, and above them the two kinds of diagonals; b: columns still to try; c: row.
  step next(task_state& self, task_state& child) const override {
    auto const a = static_cast<std::uint64_t>(self.a);
    auto const columns = static_cast<std::uint32_t>(a & 0xfffff), left = static_cast<std::uint32_t>(a >> 20 & 0xfffff),
               right = static_cast<std::uint32_t>(a >> 40);
    if (self.pc == 0) {
      self.pc = 1;
      self.b = self.c < cutoff_ ? all_ & ~(columns | left | right) : 0;
      return {step_kind::work, node_ * (self.c < cutoff_ ? 1 : nodes(columns, left, right))};
    }
    if (self.b == 0) return self.pc++ == 1 && self.c < cutoff_ ? step{step_kind::wait} : step{step_kind::end};
    auto const bit = static_cast<std::uint32_t>(self.b & -self.b);
    self.b &= self.b - 1;
    child = {};
    child.c = self.c + 1;
    child.a = static_cast<std::int64_t>(std::uint64_t(columns | bit) | std::uint64_t((left | bit) << 1 & all_) << 20 |
                                        std::uint64_t((right | bit) >> 1) << 40);
    return {step_kind::spawn};
  }
  join_kind join_of(task_state const& task) const override {
    return task.c < cutoff_ ? join_kind::blocking : join_kind::inherited;
  }
  std::string region_name(std::uint32_t) const override { return "board"; }
  // Knuth's estimate (1975): the boards of a row are the mean, over random ways down, of the product of the ways'
  // widths.
  static graph_size size(parameters const& p) {
    constexpr int ways = 4000;
    std::int64_t const n = p["n"], cutoff = p["cutoff"];
    graph_size result{.open = 1};
    std::uint32_t const all = (1u << n) - 1;
    std::uint64_t seed = 1;
    for (int i = 0; i < ways; ++i) {
      std::uint32_t columns = 0, left = 0, right = 0;
      double width = 1.0 / ways;
      for (std::int64_t row = 0;; ++row) {
        result.items += width;
        if (row <= cutoff) result.tasks += width;
        std::uint32_t free = all & ~(columns | left | right);
        if (free == 0) break;
        width *= std::popcount(free);
        for (auto skip = splitmix(seed) % static_cast<unsigned>(std::popcount(free)); skip != 0; --skip) {
          free &= free - 1;
        }
        std::uint32_t const bit = free & -free;
        columns |= bit;
        left = (left | bit) << 1 & all;
        right = (right | bit) >> 1;
      }
    }
    for (std::int64_t row = 0; row < std::min(cutoff, n); ++row) result.open += static_cast<double>(n - row);
    result.open_each = result.open;
    result.work = result.items * ns(p["node_ns"]);
    return result;
  }

 private:
  std::uint64_t nodes(std::uint32_t columns, std::uint32_t left, std::uint32_t right) const {
    std::uint64_t count = 1;
    for (std::uint32_t free = all_ & ~(columns | left | right); free != 0; free &= free - 1) {
      std::uint32_t const bit = free & -free;
      count += nodes(columns | bit, (left | bit) << 1 & all_, (right | bit) >> 1);
    }
    return count;
  }
  std::int64_t const n_, cutoff_;
  std::uint32_t const all_;
  picoseconds const node_;
};

// The sum over a binary tree: a task per node down to the cutoff, which adds its subtree by itself.
class tree_add final : public program {
 public:
  explicit tree_add(parameters const& p)
      : depth_(p["depth"]), cutoff_(p["cutoff"]), node_(in_nanoseconds(p["node_ns"])) {}

  task_state root() const override { return {}; }
  // c: depth
  step next(task_state& self, task_state& child) const override {
    bool const leaf = self.c >= cutoff_ || self.c == depth_;
    if (self.pc == 0) {
      self.pc = leaf ? 4 : 1;
      std::uint64_t const below = (std::uint64_t(2) << (depth_ - self.c)) - 1;
      return {step_kind::work, node_ * (leaf ? below : 1)};
    }
    if (self.pc >= 3) return {self.pc++ == 3 ? step_kind::wait : step_kind::end};
    ++self.pc;
    child = {};
    child.c = self.c + 1;
    return {step_kind::spawn};
  }
  join_kind join_of(task_state const& task) const override {
    return task.c >= cutoff_ || task.c == depth_ ? join_kind::inherited : join_kind::blocking;
  }
  std::string region_name(std::uint32_t) const override { return "node"; }
  static graph_size size(parameters const& p) {
    std::int64_t const levels = std::min(p["cutoff"], p["depth"]);
    double const open = static_cast<double>(2 * levels + 1);
    return {std::exp2(levels + 1) - 1, (std::exp2(p["depth"] + 1) - 1) * ns(p["node_ns"]), open, open};
  }

 private:
  std::int64_t const depth_, cutoff_;
  picoseconds const node_;
};

// The product of two n x n matrices: two rounds of four products of half the size, down to blocks.
class matrix_product final : public program {
 public:
  explicit matrix_product(parameters const& p)
      : n_(p["n"]), block_(p["block"]), flop_(static_cast<picoseconds>(p["product_ps"])) {}

  task_state root() const override { return of_size(n_); }
  step next(task_state& self, task_state& child) const override {
    if (self.a <= block_) {
      auto const n = static_cast<std::uint64_t>(self.a);
      return self.pc++ == 0 ? step{step_kind::work, flop_ * n * n * n} : step{step_kind::end};
    }
    if (self.pc == 10) return {step_kind::end};
    if (self.pc++ % 5 == 4) return {step_kind::wait};
    child = of_size(self.a / 2);
    return {step_kind::spawn};
  }
  join_kind join_of(task_state const& task) const override {
    return task.a <= block_ ? join_kind::inherited : join_kind::blocking;
  }
  std::string region_name(std::uint32_t) const override { return "block"; }
  static graph_size size(parameters const& p) {
    graph_size result{.tasks = 1, .open = 1};
    double leaves = 1;
    std::int64_t n = p["n"];
    for (; n > p["block"]; n /= 2) {
      leaves *= 8;
      result.tasks += leaves;
      result.open += 4;
    }
    result.open_each = result.open;
    result.work = leaves * static_cast<double>(n * n * n) * static_cast<double>(p["product_ps"]);
    return result;
  }

 private:
  static task_state of_size(std::int64_t n) {
    task_state state;
    state.a = n;
    return state;
  }
  std::int64_t const n_, block_;
  picoseconds const flop_;
};

}  // namespace

std::vector<graph> tree_graphs() {
  return {
      {"fib",
       "Fibonacci numbers, a task per call",
       {{"n", 25, 0, 60, "which number"},
        {"cutoff", 0, 0, 60, "smaller numbers are computed serially"},
        {"call_ns", 2, 0, 1000000, "work per call"}},
       make<fibonacci>,
       fibonacci::size},
      {"fibcut",
       "The same, serial below 12",
       {{"n", 30, 0, 60, "which number"},
        {"cutoff", 12, 0, 60, "smaller numbers are computed serially"},
        {"call_ns", 2, 0, 1000000, "work per call"}},
       make<fibonacci>,
       fibonacci::size},
      {"nqueens",
       "All placements of n queens, a task per partial board",
       {{"n", 10, 1, 18, "queens"},
        {"cutoff", 5, 0, 18, "rows from which on a task searches by itself"},
        {"node_ns", 10, 0, 1000000, "work per board"}},
       make<queens>,
       queens::size},
      {"treeadd",
       "The sum over a binary tree, a task per node",
       {{"depth", 16, 0, 40, "depth of the tree"},
        {"cutoff", 13, 0, 40, "depth from which on a task adds by itself"},
        {"node_ns", 20, 0, 1000000, "work per node"}},
       make<tree_add>,
       tree_add::size},
      {"matmultrec",
       "Matrix product, recursive: two rounds of four half-sized products",
       {{"n", 256, 1, 65536, "rows, a power of two times the block"},
        {"block", 16, 1, 4096, "rows of a block that one task multiplies"},
        {"product_ps", 500, 0, 1000000, "picoseconds per multiplication"}},
       make<matrix_product>,
       matrix_product::size},
  };
}

}  // namespace ashlar::sim
