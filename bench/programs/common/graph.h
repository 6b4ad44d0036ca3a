// SPDX-License-Identifier: Apache-2.0
// Graphs with a power law of degrees, after the recursive model R-MAT (Chakrabarti, Zhan, Faloutsos 2004), in
// compressed rows. Self loops and double edges stay.
#pragma once

#include "random.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace programs {

using vertex = std::uint32_t;

inline std::vector<std::pair<vertex, vertex>> rmat_edges(int levels, std::size_t edges, std::uint64_t seed) {
  random_stream random(seed);
  vertex const mask = (vertex{1} << levels) - 1;
  std::vector<std::pair<vertex, vertex>> made(edges);
  for (auto& e : made) {
    vertex from = 0, to = 0;
    std::uint64_t bits = 0;
    for (int level = 0; level < levels; ++level) {
      if (level % 8 == 0) bits = random.bits();
      // Quadrants with 0.57, 0.19, 0.19 and 0.05, in 256ths.
      unsigned const x = static_cast<unsigned>(bits & 0xff);
      bits >>= 8;
      from = 2 * from + static_cast<vertex>(x >= 195);
      to = 2 * to + static_cast<vertex>((x >= 146 && x < 195) || x >= 243);
    }
    // An odd factor spreads the vertices of high degree over the numbers.
    e = {(from * 2654435761u) & mask, (to * 2654435761u) & mask};
  }
  return made;
}

struct graph {
  std::vector<std::uint32_t> first;  // of vertex v: targets[first[v]] to targets[first[v + 1]]
  std::vector<vertex> targets;

  std::size_t size() const { return first.size() - 1; }
  std::size_t degree(vertex v) const { return first[v + 1] - first[v]; }
};

// With `both_ways` each edge is stored in both directions.
inline graph make_graph(int levels, std::size_t edges, std::uint64_t seed, bool both_ways) {
  auto const list = rmat_edges(levels, edges, seed);
  graph g;
  g.first.assign((std::size_t{1} << levels) + 1, 0);
  for (auto const& e : list) {
    ++g.first[e.first + 1];
    if (both_ways) ++g.first[e.second + 1];
  }
  for (std::size_t v = 1; v < g.first.size(); ++v) g.first[v] += g.first[v - 1];
  g.targets.resize(g.first.back());
  std::vector<std::uint32_t> next(g.first.begin(), g.first.end() - 1);
  for (auto const& e : list) {
    g.targets[next[e.first]++] = e.second;
    if (both_ways) g.targets[next[e.second]++] = e.first;
  }
  return g;
}

// The number of levels of a graph of 2^full vertices scaled down.
inline int scaled_levels(double scale, int full) {
  int levels = full;
  for (; scale < 0.75 && levels > 6; scale *= 2) --levels;
  return levels;
}

}  // namespace programs
