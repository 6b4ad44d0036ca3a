// SPDX-License-Identifier: Apache-2.0
// The graphs, by kind of program.
#pragma once

#include "graphs/graph.h"

namespace ashlar::sim {

std::vector<graph> tree_graphs();    // recursion with a wait in each task: fib, nqueens, treeadd, …
std::vector<graph> uts_graphs();     // unbalanced tree search, without waits
std::vector<graph> loop_graphs();    // series of parallel loops
std::vector<graph> nested_graphs();  // swaptions, pipeline, bag

}  // namespace ashlar::sim
