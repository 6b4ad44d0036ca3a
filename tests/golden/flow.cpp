// SPDX-License-Identifier: Apache-2.0
// The flow graph's basic steps, `size` times each, for tools/golden.py: flow ROW SIZE. Each message is waited for
// before the next one is put: what nodes do with several messages depends on the clock.
#include <tbb/flow_graph.h>

#include "rows.h"

namespace {

using namespace tbb::flow;

int body(int v) {
  golden::sink = v;
  return v;
}

// Puts n messages and waits for each. A function of its own, so that no row's compiler sees what kind of node it is.
template <typename T>
[[gnu::noinline]] void put(graph& g, receiver<T>& into, long n) {
  for (long i = 0; i < n; ++i) {
    into.try_put(T());
    g.wait_for_all();
  }
}

void flow_serial(long n) {
  graph g;
  function_node<int, int> f(g, serial, body);
  put<int>(g, f, n);
}

void flow_unlimited(long n) {
  graph g;
  function_node<int, int> f(g, unlimited, body);
  put<int>(g, f, n);
}

void flow_body_to_body(long n) {
  graph g;
  function_node<int, int> first(g, serial, body), second(g, serial, body);
  make_edge(first, second);
  put<int>(g, first, n);
}

void flow_continue(long n) {
  graph g;
  continue_node<continue_msg> c(g, [](continue_msg) { golden::sink = 1; });
  put<continue_msg>(g, c, n);
}

void flow_broadcast(long n) {
  graph g;
  broadcast_node<int> all(g);
  function_node<int, int> first(g, serial, body), second(g, serial, body);
  make_edge(all, first);
  make_edge(all, second);
  put<int>(g, all, n);
}

void flow_queue(long n) {
  graph g;
  queue_node<int> q(g);
  function_node<int, int> f(g, serial, body);
  make_edge(q, f);
  put<int>(g, q, n);
}

void flow_join(long n) {
  using pair = std::tuple<int, int>;
  graph g;
  broadcast_node<int> both(g);
  join_node<pair> j(g);
  function_node<pair, int> f(g, serial, [](pair const& p) { return body(std::get<0>(p)); });
  make_edge(both, input_port<0>(j));
  make_edge(both, input_port<1>(j));
  make_edge(j, f);
  put<int>(g, both, n);
}

void flow_limiter(long n) {
  graph g;
  limiter_node<int> l(g, 1);
  function_node<int> f(g, serial, [](int v) { body(v); });
  make_edge(l, f);
  make_edge(f, l.decrementer());
  put<int>(g, l, n);
}

golden::row const rows[] = {
    {"flow_serial", flow_serial},     {"flow_unlimited", flow_unlimited}, {"flow_body_to_body", flow_body_to_body},
    {"flow_continue", flow_continue}, {"flow_broadcast", flow_broadcast}, {"flow_queue", flow_queue},
    {"flow_join", flow_join},         {"flow_limiter", flow_limiter}};

}  // namespace

int main(int argc, char** argv) { return golden::main(argc, argv, rows); }
