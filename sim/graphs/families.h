// SPDX-License-Identifier: Apache-2.0
// The graphs, by kind of program.
#pragma once

#include "graphs/graph.h"

namespace ashlar::sim {

std::vector<graph> tree_graphs();  // fib, …: recursion with a wait in each task

}  // namespace ashlar::sim
