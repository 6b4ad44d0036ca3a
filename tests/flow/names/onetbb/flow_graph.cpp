// SPDX-License-Identifier: Apache-2.0
// What a program written for oneTBB may write with its flow graph: the graph, edges, messages, policies, and the nodes
// that run bodies. It compiles with oneTBB's own headers as well, so it states oneTBB's interface and not ours.
// Compiled only.
#include <tbb/flow_graph.h>
#include <tbb/flow_graph_abstractions.h>
#include <tbb/profiling.h>
#include <tbb/task_arena.h>

#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

namespace flow = tbb::flow;
using flow::continue_msg;
using flow::graph;
using flow::serial;
using flow::unlimited;

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;

struct twice {
  int operator()(int x) const { return 2 * x; }
};
struct record {
  int key = 0;
  int size() const { return key; }
};

std::size_t node_size(flow::graph_node const& node) { return sizeof node; }

void graphs() {
  static_assert(!std::is_copy_constructible_v<graph> && !std::is_copy_assignable_v<graph>);
  static_assert(std::is_base_of_v<flow::graph_node, flow::function_node<int, int>> &&
                std::has_virtual_destructor_v<flow::graph_node>);
  tbb::task_group_context context;
  graph g, with_context(context);
  g.wait_for_all();
  g.reserve_wait();
  g.release_wait();
  g.cancel();
  bool const ended = g.is_cancelled() || g.exception_thrown();
  (void)ended;
  g.reset();
  g.reset(flow::rf_reset_protocol);
  g.reset(flow::rf_reset_bodies);
  g.reset(flow::rf_clear_edges);
  g.reset(static_cast<flow::reset_flags>(flow::rf_reset_bodies | flow::rf_clear_edges));
  static_assert(flow::rf_reset_protocol == 0 && flow::rf_reset_bodies == 1 && flow::rf_clear_edges == 2);
  graph const& constant = g;
  std::size_t nodes = 0;
  for (graph::iterator i = g.begin(); i != g.end(); ++i) nodes += &*i != nullptr;
  for (graph::const_iterator i = constant.begin(); i != constant.end(); i++) nodes += i.operator->() != nullptr;
  for (graph::const_iterator i = g.cbegin(); i != g.cend(); ++i) nodes += 1;
  for (flow::graph_node& node : g) nodes += node_size(node);
  static_assert(same<decltype(*g.begin()), flow::graph_node&>);
}

void messages_and_constants() {
  static_assert(flow::serial == 1 && flow::unlimited == 0);
  static_assert(flow::no_priority == 0 && same<flow::node_priority_t, unsigned>);
  static_assert(same<flow::tag_value, std::uint64_t>);
  static_assert(std::is_empty_v<continue_msg>);
  static_assert(same<flow::tag_matching, flow::key_matching<flow::tag_value>>);
  static_assert(!same<flow::queueing, flow::rejecting> && !same<flow::reserving, flow::queueing>);
  static_assert(!same<flow::lightweight, flow::queueing_lightweight> &&
                !same<flow::rejecting_lightweight, flow::lightweight>);
  static_assert(!same<flow::key_matching<int>, flow::key_matching<long>>);
}

template <typename Sender, typename Receiver>
void edges(Sender& s, Receiver& r) {
  flow::make_edge(s, r);
  flow::remove_edge(s, r);
}

void function_nodes() {
  graph g;
  using node = flow::function_node<int, int>;
  static_assert(same<node::input_type, int> && same<node::output_type, int>);
  static_assert(same<node::predecessor_type, flow::sender<int>> && same<node::successor_type, flow::receiver<int>>);
  static_assert(std::is_base_of_v<flow::receiver<int>, node> && std::is_base_of_v<flow::sender<int>, node>);
  twice const body;
  node a(g, serial, body), b(g, 2, [](int const& x) { return x; }), c(g, unlimited, [](int x) noexcept { return x; });
  node with_priority(g, serial, body, flow::node_priority_t(3)), copied(a);
  struct large {
    std::array<int, 40> numbers;
  };
  flow::function_node<large, large> large_messages(g, serial, [](large const& l) { return l; });
  flow::function_node<int, int, flow::rejecting> rejecting(g, serial, body);
  flow::function_node<int, int, flow::lightweight> light(g, unlimited, body);
  flow::function_node<int, int, flow::queueing_lightweight> light_queueing(g, serial, body);
  flow::function_node<int, int, flow::rejecting_lightweight> light_rejecting(g, serial, body);
  flow::function_node<int, int, flow::rejecting> with_policy(g, serial, body, flow::rejecting()),
      with_both(g, serial, body, flow::rejecting(), flow::node_priority_t(1));
  flow::function_node<int> ending(g, serial, [](int) { return continue_msg(); });
  flow::function_node<int, continue_msg> no_result(g, serial, [](int) {});
  flow::function_node<continue_msg, std::string> starting(g, serial,
                                                          [](continue_msg const&) { return std::string("a"); });
  flow::function_node<record, int> by_member(g, serial, &record::key), by_function(g, serial, &record::size);
  edges(a, b);
  edges<flow::sender<int>, flow::receiver<int>>(a, b);
  bool const put = a.try_put(1) && flow::copy_body<twice>(a)(1) == 2;
  (void)put;
  int out = 0;
  (void)(a.try_get(out) || a.try_reserve(out) || a.try_release() || a.try_consume());
  g.wait_for_all();
}

void continue_nodes() {
  graph g;
  using node = flow::continue_node<int>;
  static_assert(same<node::input_type, continue_msg> && same<node::output_type, int>);
  static_assert(same<node::predecessor_type, flow::sender<continue_msg>> &&
                same<node::successor_type, flow::receiver<int>>);
  auto const body = [](continue_msg const&) { return 1; };
  node a(g, body), b(g, 2, body), c(g, body, flow::node_priority_t(1)), d(g, 2, body, flow::node_priority_t(1)), e(a);
  flow::continue_node<int, flow::lightweight> light(g, body), light2(g, 3, body), light3(g, body, flow::lightweight()),
      light4(g, 3, body, flow::lightweight()), light5(g, 3, body, flow::lightweight(), flow::node_priority_t(2)),
      light6(g, body, flow::lightweight(), flow::node_priority_t(2));
  flow::continue_node<int, int> no_policy(g, body), no_policy2(g, 2, body, 0, flow::node_priority_t(1));
  flow::continue_node<continue_msg> silent(g, [](continue_msg const&) {}),
      by_value(g, [](continue_msg) { return continue_msg(); });
  flow::function_node<int> ending(g, serial, [](int) { return continue_msg(); });
  edges(a, ending);
  edges(ending, silent);
  edges(silent, by_value);
  silent.try_put(continue_msg());
  (void)flow::copy_body<std::decay_t<decltype(body)>>(a);
  g.wait_for_all();
}

void multifunction_nodes() {
  graph g;
  using node = flow::multifunction_node<int, std::tuple<int, std::string>>;
  using ports = node::output_ports_type;
  static_assert(same<node::input_type, int>);
  auto const body = [](int const& x, ports& p) {
    std::get<0>(p).try_put(x);
    std::get<1>(p).try_put("a");
  };
  node a(g, serial, body), b(g, unlimited, body, flow::node_priority_t(1)), c(a);
  flow::multifunction_node<int, std::tuple<int, std::string>, flow::rejecting> d(g, serial, body),
      e(g, 2, body, flow::rejecting()), f(g, 2, body, flow::rejecting(), flow::node_priority_t(1));
  flow::multifunction_node<int, std::tuple<int, std::string>, flow::lightweight> light(g, serial, body);
  flow::queue_node<int> q(g);
  flow::queue_node<std::string> s(g);
  edges(flow::output_port<0>(a), q);
  edges(flow::output_port<1>(a), s);
  edges(a, q);  // port 0
  edges(std::get<1>(a.output_ports()), s);
  a.try_put(1);
  (void)flow::copy_body<std::decay_t<decltype(body)>>(a);
  g.wait_for_all();
}

void async_nodes() {
  graph g;
  using node = flow::async_node<int, std::string>;
  using gateway = node::gateway_type;
  static_assert(same<node::input_type, int> && same<node::output_type, std::string>);
  auto const body = [](int const&, gateway& way) {
    way.reserve_wait();
    way.try_put("a");
    way.release_wait();
  };
  node a(g, unlimited, body), b(g, 2, body, flow::node_priority_t(1)), c(a);
  flow::async_node<int, std::string, flow::rejecting> d(g, serial, body), e(g, serial, body, flow::rejecting()),
      f(g, serial, body, flow::rejecting(), flow::node_priority_t(1));
  flow::async_node<int, std::string, flow::queueing_lightweight> light(g, serial, body);
  flow::queue_node<std::string> q(g);
  edges(a, q);
  gateway& way = a.gateway();
  way.reserve_wait();
  way.release_wait();
  way.try_put("b");
  a.try_put(1);
  g.wait_for_all();
  (void)flow::copy_body<std::decay_t<decltype(body)>>(a);
}

void input_nodes() {
  graph g;
  using node = flow::input_node<int>;
  static_assert(same<node::output_type, int> && same<node::successor_type, flow::receiver<int>>);
  auto const body = [](tbb::flow_control& control) {
    control.stop();
    return 0;
  };
  node a(g, body), b(a);
  flow::queue_node<int> q(g);
  edges(a, q);
  a.activate();
  int out = 0;
  (void)(a.try_get(out) || a.try_reserve(out) || a.try_release() || a.try_consume());
  (void)flow::copy_body<std::decay_t<decltype(body)>>(a);
  g.wait_for_all();
}

void guides() {
  graph g;
  flow::input_node from_source(g, [](tbb::flow_control& control) {
    control.stop();
    return 1.0;
  });
  static_assert(same<decltype(from_source), flow::input_node<double>>);
  flow::function_node plain(g, serial, [](int const&) { return 1.0; });
  static_assert(same<decltype(plain), flow::function_node<int, double>>);
  flow::function_node rejecting(g, serial, [](int const&) { return 1.0; }, flow::rejecting());
  static_assert(same<decltype(rejecting), flow::function_node<int, double, flow::rejecting>>);
  flow::continue_node first(g, [](continue_msg const&) { return 1; });
  flow::continue_node counted(g, 2, [](continue_msg const&) { return 1; });
  flow::continue_node light(g, [](continue_msg const&) { return 1; }, flow::lightweight());
  flow::continue_node counted_light(g, 2, [](continue_msg const&) { return 1; }, flow::lightweight());
  static_assert(same<decltype(first), flow::continue_node<int>> && same<decltype(counted), flow::continue_node<int>>);
  static_assert(same<decltype(light), flow::continue_node<int, flow::lightweight>>);
  static_assert(same<decltype(counted_light), flow::continue_node<int, flow::lightweight>>);
  flow::function_node copied(plain);
  static_assert(same<decltype(copied), decltype(plain)>);
}

void names(graph& g, flow::function_node<int, int>& node) {
  tbb::profiling::set_name(g, "graph");
  tbb::profiling::set_name(node, "node");
}

}  // namespace

// What a program that only needs the names may use.
void flow_graph_names() {
  graphs();
  messages_and_constants();
  function_nodes();
  continue_nodes();
  multifunction_nodes();
  async_nodes();
  input_nodes();
  guides();
  graph g;
  flow::function_node<int, int> node(g, serial, twice());
  names(g, node);
}
