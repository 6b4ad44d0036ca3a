// SPDX-License-Identifier: Apache-2.0
// A pipeline of senders with backpressure: the source makes no more items than the stages have room for.
#include <stdexec/execution.hpp>

#include <ashlar/execution.h>
#include <tbb/flow_graph.h>

#include <atomic>
#include <cstdio>

namespace ex = stdexec;
using tbb::execution::arena_scheduler;
using tbb::execution::sender_node;

int main() {
  constexpr int items = 1000, room = 8;
  tbb::task_arena device(1);  // stands for a device that serves one caller at a time
  arena_scheduler const on_device(device);

  tbb::flow::graph graph;
  std::atomic<int> inside{0}, most{0};
  long sum = 0;

  int next = 0;
  tbb::flow::input_node<int> source(graph, [&](tbb::flow_control& control) {
    if (next == items) {
      control.stop();
      return 0;
    }
    return next++;
  });
  tbb::flow::limiter_node<int> gate(graph, room);
  // No thread waits for the device: up to four items are with it.
  sender_node<int, long> square(graph, 4, [&](int const& i) {
    int const now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    return ex::schedule(on_device) | ex::then([i] { return long{i} * i; });
  });
  tbb::flow::function_node<long> sink(graph, tbb::flow::serial, [&](long square_of_item) {
    sum += square_of_item;
    --inside;
  });
  tbb::flow::make_edge(source, gate);
  tbb::flow::make_edge(gate, square);
  tbb::flow::make_edge(square, sink);
  tbb::flow::make_edge(sink, gate.decrementer());
  source.activate();
  graph.wait_for_all();

  long expected = 0;
  for (long i = 0; i < items; ++i) expected += i * i;
  std::printf("sum %ld, at most %d items at a time\n", sum, most.load());
  return sum == expected && most <= room ? 0 : 1;
}
