// SPDX-License-Identifier: Apache-2.0
#include "study/spans.h"

#include "graphs/catalogue.h"
#include "program/analysis.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace ashlar::sim {

std::string spans_text(std::vector<study_cell> const& cells) {
  std::vector<std::string> graphs;
  for (study_cell const& c : cells) {
    if (std::find(graphs.begin(), graphs.end(), c.graph) == graphs.end()) graphs.push_back(c.graph);
  }
  std::vector<analysis> found(graphs.size());
  tbb::parallel_for(std::size_t{0}, graphs.size(), [&](std::size_t i) { found[i] = analyse(*make_graph(graphs[i])); });
  std::string text = "graph\twork_ms\tspan_ms\n";
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    text += fmt::format("{}\t{:.9g}\t{:.9g}\n", graphs[i], static_cast<double>(found[i].work) / millisecond,
                        static_cast<double>(found[i].span) / millisecond);
  }
  return text;
}

}  // namespace ashlar::sim
