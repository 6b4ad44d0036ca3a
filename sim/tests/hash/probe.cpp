// SPDX-License-Identifier: Apache-2.0
// Prints the event hashes of some runs. compare.py builds this one file, which holds the engine and the graphs, with
// other compilers and optimisation levels and expects the same lines. It has no library, which would report an
// assertion.
#undef TBB_USE_ASSERT
#include "engine/coast.cpp"
#include "engine/policy.cpp"
#include "engine/run.cpp"
#include "engine/search.cpp"
#include "engine/sleep.cpp"
#include "graphs/catalogue.cpp"
#include "graphs/graph.cpp"
#include "graphs/loops.cpp"
#include "graphs/nested.cpp"
#include "graphs/trees.cpp"
#include "graphs/uts.cpp"

#include <cstdio>

int main() {
  using namespace ashlar::sim;
  machine m;
  m.cluster_size = 4;
  m.socket_size = 8;
  m.cluster_line = 25000;
  m.socket_line = 90000;
  m.remote_line = 200000;
  m.line_busy = 10000;
  m.costs = {270,   12000, 10000, 12000,  10000,   4000,    3000,    3000,    25000,
             25000, 98000, 25000, 480000, 8000000, 5000000, 6500000, 20000000};
  for (char const* graph : {"utsT1:depth=4", "lu:n=24", "bodytrack:frames=1,particles=60", "bitcounter:records=500",
                            "swaptions:swaptions=6,batches=4", "nqueens:n=7,cutoff=4"}) {
    for (std::string const& policy : victim_names()) {
      options o;
      o.workers = 13;
      o.victim = parse_victim(policy);
      for (steal_protocol const protocol : {steal_protocol::ashlar, steal_protocol::tbb41}) {
        m.protocol = protocol;
        std::printf("%s %s %d %016llx\n", graph, policy.c_str(), static_cast<int>(protocol),
                    static_cast<unsigned long long>(simulate(*make_graph(graph), m, o).hash));
      }
    }
  }
}
