// SPDX-License-Identifier: Apache-2.0
// The flow graph, which submits tasks into its arena, with the hooks for collectors compiled in.
#define TBB_USE_PROFILING_TOOLS 1
#include "client.h"

#include <tbb/flow_graph.h>
#include <tbb/profiling.h>
#include <tbb/tbb.h>

using namespace tbb;

int main() {
  flow::graph g;
  std::atomic<long> sum{0};
  flow::function_node<int, int> square(g, flow::unlimited, [](int v) { return v * v; });
  flow::function_node<int> add(g, flow::serial, [&](int v) { sum += v; });
  flow::make_edge(square, add);
  for (int i = 0; i < 1000; ++i) square.try_put(i);
  g.wait_for_all();
  line("squares", sum);
  flow::function_node<int, int, flow::queueing> high(
      g, flow::unlimited, [](int v) { return v; }, flow::node_priority_t(2));
  flow::make_edge(high, add);
  for (int i = 0; i < 100; ++i) high.try_put(1);
  g.wait_for_all();
  line("priority", sum);
  flow::broadcast_node<int> in(g);
  flow::join_node<std::tuple<int, int>> join(g);
  flow::limiter_node<int> limit(g, 3);
  flow::queue_node<int> queue(g);
  flow::make_edge(in, flow::input_port<0>(join));
  flow::make_edge(in, flow::input_port<1>(join));
  flow::function_node<std::tuple<int, int>> pair(
      g, flow::unlimited, [&](std::tuple<int, int> const& t) { sum += std::get<0>(t) * std::get<1>(t); });
  flow::make_edge(join, pair);
  for (int i = 0; i < 10; ++i) in.try_put(i);
  g.wait_for_all();
  line("join", sum);
  flow::make_edge(queue, limit);
  flow::function_node<int, flow::continue_msg> slow(g, 2, [&](int v) {
    sum += v;
    return flow::continue_msg();
  });
  flow::make_edge(limit, slow);
  flow::make_edge(slow, limit.decrementer());
  for (int i = 0; i < 50; ++i) queue.try_put(i);
  g.wait_for_all();
  line("limited", sum);
  std::atomic<long> steps{0};
  flow::continue_node<flow::continue_msg> a(g, [&](flow::continue_msg const&) { ++steps; }),
      b(g, [&](flow::continue_msg const&) { steps += 10; });
  flow::make_edge(a, b);
  a.try_put(flow::continue_msg());
  g.wait_for_all();
  line("steps", steps);
  using async = flow::async_node<int, int>;
  std::thread worker;
  async out(g, flow::unlimited, [&](int v, async::gateway_type& gate) {
    gate.reserve_wait();
    worker = std::thread([v, &gate] {
      gate.try_put(v);
      gate.release_wait();
    });
  });
  flow::make_edge(out, add);
  out.try_put(5);
  g.wait_for_all();
  worker.join();
  line("async", sum);
  flow::input_node<int> source(g, [n = 0](flow_control& f) mutable {
    if (n == 20) f.stop();
    return n++;
  });
  flow::make_edge(source, add);
  source.activate();
  g.wait_for_all();
  line("source", sum);
  g.reset();
  flow::function_node<int> bad(g, flow::unlimited, [](int) { throw std::runtime_error("node"); });
  bad.try_put(1);
  line("threw", thrown([&] { g.wait_for_all(); }));
  line("exception", g.exception_thrown());
  g.reset();
  line("cancelled", g.is_cancelled());
  spin_mutex named;
  queuing_rw_mutex named_too;
  profiling::set_name(named, "a mutex");
  profiling::set_name(named_too, "another one");
  task_arena arena(2);
  arena.execute([&] {
    flow::graph inside;
    flow::function_node<int> n(inside, flow::unlimited, [&](int v) { sum += v; });
    for (int i = 0; i < 100; ++i) n.try_put(1);
    inside.wait_for_all();
  });
  line("arena", sum);
}
