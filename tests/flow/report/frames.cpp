// SPDX-License-Identifier: Apache-2.0
// A pipeline of named nodes whose serial `decode` is what limits it: report.py looks whether the scalability report
// says so.
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/profiling.h>

namespace {

namespace flow = tbb::flow;

void work(long rounds) {
  for (long i = 0; i < 2000 * rounds; ++i) asm volatile("" ::: "memory");
}

}  // namespace

int main() {
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 2);
  flow::graph g;
  flow::input_node<int> read(g, [n = 0](tbb::flow_control& control) mutable {
    if (n == 400) control.stop();
    work(10);
    return n++;
  });
  flow::function_node<int, int> decode(g, flow::serial, [](int x) { return work(120), x; });
  flow::function_node<int, int> filter(g, flow::unlimited, [](int x) { return work(200), x; });
  flow::function_node<int, int> encode(g, flow::serial, [](int x) { return work(40), x; });
  tbb::profiling::set_name(read, "read");
  tbb::profiling::set_name(decode, "decode");
  tbb::profiling::set_name(filter, "filter");
  tbb::profiling::set_name(encode, "encode");
  flow::make_edge(read, decode);
  flow::make_edge(decode, filter);
  flow::make_edge(filter, encode);
  read.activate();
  g.wait_for_all();
}
