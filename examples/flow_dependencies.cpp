// SPDX-License-Identifier: Apache-2.0
// Steps that need each other, as a graph: a step runs as soon as all that it needs have run.
#include <tbb/flow_graph.h>

#include <atomic>
#include <cstdio>

int main() {
  using step = tbb::flow::continue_node<tbb::flow::continue_msg>;
  std::atomic<int> clock{0};
  int fetched = 0, compiled = 0, documented = 0, tested = 0, packed = 0;
  tbb::flow::graph g;
  auto const at = [&clock](int& time) { return [&clock, &time](tbb::flow::continue_msg const&) { time = ++clock; }; };
  step fetch(g, at(fetched)), compile(g, at(compiled)), document(g, at(documented)), test(g, at(tested)),
      pack(g, at(packed));
  make_edge(fetch, compile);
  make_edge(fetch, document);
  make_edge(compile, test);
  make_edge(test, pack);
  make_edge(document, pack);

  // The same graph runs as often as one likes.
  for (int round = 0; round < 3; ++round) {
    clock = 0;
    fetch.try_put(tbb::flow::continue_msg());
    g.wait_for_all();
    bool const in_order =
        fetched == 1 && compiled > fetched && documented > fetched && tested > compiled && packed == 5;
    std::printf("fetch %d, compile %d, document %d, test %d, pack %d\n", fetched, compiled, documented, tested, packed);
    if (!in_order) return 1;
  }
  return 0;
}
