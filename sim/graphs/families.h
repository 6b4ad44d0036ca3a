// SPDX-License-Identifier: Apache-2.0
// The graphs, by kind of program.
#pragma once

#include "graphs/graph.h"

namespace ashlar::sim {

constexpr picoseconds in_nanoseconds(std::int64_t n) { return static_cast<picoseconds>(n) * nanosecond; }

template <typename Program>
std::unique_ptr<program> make(parameters const& p) {
  return std::make_unique<Program>(p);
}

// Of durations in nanoseconds.
constexpr double ns(double n) { return n * nanosecond; }

std::vector<graph> tree_graphs();    // recursion with a wait in each task: fib, nqueens, treeadd, …
std::vector<graph> uts_graphs();     // unbalanced tree search, without waits
std::vector<graph> loop_graphs();    // series of parallel loops
std::vector<graph> nested_graphs();  // swaptions, pipeline, bag

}  // namespace ashlar::sim
