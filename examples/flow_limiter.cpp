// SPDX-License-Identifier: Apache-2.0
// A job needs one of a few tools and gives it back: a reserving join takes a job and a tool only when both are there. A
// limiter lets no more than eight jobs into the graph at once.
#include <tbb/flow_graph.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <tuple>

int main() {
  using tbb::flow::input_port;
  constexpr int jobs = 1000;
  struct tool {
    int uses = 0;
  };
  std::array<tool, 3> tools;
  std::atomic<int> inside{0}, most{0}, done{0};
  tbb::flow::graph g;
  tbb::flow::input_node<int> source(g, [next = 0](tbb::flow_control& control) mutable {
    if (next == jobs) control.stop();
    return next++;
  });
  tbb::flow::limiter_node<int> limiter(g, 8);
  tbb::flow::queue_node<int> waiting(g);
  tbb::flow::queue_node<tool*> free_tools(g);
  tbb::flow::join_node<std::tuple<int, tool*>, tbb::flow::reserving> both(g);
  tbb::flow::function_node<std::tuple<int, tool*>, tool*> work(
      g, tbb::flow::unlimited, [&](std::tuple<int, tool*> const& pair) {
        int const now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        ++std::get<1>(pair)->uses;  // the tool is this job's alone
        ++done;
        --inside;
        return std::get<1>(pair);
      });
  tbb::flow::function_node<tool*> finished(g, tbb::flow::unlimited, [](tool*) { return tbb::flow::continue_msg(); });
  make_edge(source, limiter);
  make_edge(limiter, waiting);
  make_edge(waiting, input_port<0>(both));
  make_edge(free_tools, input_port<1>(both));
  make_edge(both, work);
  make_edge(work, free_tools);
  make_edge(work, finished);
  make_edge(finished, limiter.decrementer());
  for (tool& t : tools) free_tools.try_put(&t);
  source.activate();
  g.wait_for_all();
  int const uses = tools[0].uses + tools[1].uses + tools[2].uses;
  std::printf("%d jobs, %d uses of 3 tools, %d at once\n", done.load(), uses, most.load());
  return done == jobs && uses == jobs && most <= 3 ? 0 : 1;
}
