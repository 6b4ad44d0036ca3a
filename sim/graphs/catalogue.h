// SPDX-License-Identifier: Apache-2.0
// The graphs by name. A graph is asked for as "fib" or "fib:n=20,leaf=100".
#pragma once

#include "graphs/graph.h"

namespace ashlar::sim {

std::vector<graph> const& all_graphs();

// Throws bad_input for an unknown graph or parameter, naming it.
std::unique_ptr<program> make_graph(std::string_view specification);
// The graph's size; throws bad_input as make_graph does.
graph_size size_of_graph(std::string_view specification);

}  // namespace ashlar::sim
