// SPDX-License-Identifier: Apache-2.0
// Numbers flow through three nodes: a source makes them, many threads square them, one node at a time adds them up.
#include <tbb/flow_graph.h>

#include <cstdio>

int main() {
  constexpr long numbers = 10000;
  long sum = 0;
  tbb::flow::graph g;
  // The source is asked for the next number when there is room for it.
  tbb::flow::input_node<long> source(g, [next = 0L](tbb::flow_control& control) mutable {
    if (next == numbers) control.stop();
    return next++;
  });
  tbb::flow::function_node<long, long> square(g, tbb::flow::unlimited, [](long x) { return x * x; });
  tbb::flow::function_node<long> add(g, tbb::flow::serial, [&sum](long x) {
    sum += x;  // no other thread is here
    return tbb::flow::continue_msg();
  });
  make_edge(source, square);
  make_edge(square, add);
  source.activate();
  g.wait_for_all();
  std::printf("sum of %ld squares: %ld\n", numbers, sum);
  return sum == (numbers - 1) * numbers * (2 * numbers - 1) / 6 ? 0 : 1;
}
