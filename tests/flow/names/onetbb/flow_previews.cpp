// SPDX-License-Identifier: Apache-2.0
// What a program written for oneTBB may write with the previews of its flow graph: node sets, keys that messages carry,
// waiting for one message, and limited resources. It compiles with oneTBB's own headers as well. Compiled only.
#define TBB_PREVIEW_FLOW_GRAPH_FEATURES 1
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#include <tbb/flow_graph.h>

#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

namespace flow = tbb::flow;
using flow::continue_msg;
using flow::graph;

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;

void sets() {
  graph g;
  flow::broadcast_node<int> b1(g), b2(g);
  flow::queue_node<int> q1(g), q2(g);
  auto const body = [](int const& x) { return x; };
  auto const set = flow::make_node_set(b1, b2);
  flow::function_node f1(flow::follows(b1, b2), flow::serial, body);
  flow::function_node f2(flow::precedes(q1, q2), flow::serial, [](int const& x) { return x; });
  flow::function_node<int, int, flow::rejecting> f3(flow::follows(b1), flow::unlimited, body, flow::rejecting(),
                                                    flow::node_priority_t(1));
  flow::make_edges(set, q1);
  flow::make_edges(b1, flow::make_node_set(q1, q2));
  flow::continue_node<int> c(flow::precedes(q1), [](continue_msg const&) { return 1; });
  flow::continue_node<int> c2(flow::precedes(q1), 2, [](continue_msg const&) { return 1; });
  flow::input_node<int> i(flow::precedes(q1, q2), [](tbb::flow_control& control) {
    control.stop();
    return 0;
  });
  flow::broadcast_node<int> b(flow::follows(b1));
  flow::buffer_node<int> u(flow::follows(b1));
  flow::queue_node<int> q(flow::follows(b1, b2));
  flow::priority_queue_node<int, std::less<int>> p(flow::follows(b1), std::less<int>());
  flow::sequencer_node<int> s(flow::follows(b1), [](int x) -> std::size_t { return static_cast<std::size_t>(x); });
  flow::overwrite_node<int> o(flow::precedes(q1));
  flow::write_once_node<int> w(flow::precedes(q1));
  flow::limiter_node<int> l(flow::follows(q), 3);
  flow::join_node<std::tuple<int, int>> j(flow::follows(b1, b2), flow::queueing());
  flow::split_node<std::tuple<int, int>> sp(flow::precedes(q1, q2));
  flow::indexer_node<int, int> x(flow::follows(b1, b2));
  using multi = flow::multifunction_node<int, std::tuple<int, int>>;
  multi m(flow::precedes(q1, q2), flow::serial, [](int const&, multi::output_ports_type&) {});
  using async = flow::async_node<int, int>;
  async a(flow::follows(b1), flow::serial, [](int const&, async::gateway_type&) {});
  g.wait_for_all();
}

struct message {
  int id = 0;
  int key() const { return id; }
};

void keys() {
  graph g;
  flow::join_node<std::tuple<message, message>, flow::key_matching<int>> j(g);
  flow::input_port<0>(j).try_put(message{1});
  g.wait_for_all();
}

void waits() {
  graph g;
  flow::function_node<int, int> f(g, flow::serial, [](int x) { return x; });
  flow::broadcast_node<int> b(g);
  flow::make_edge(b, f);
  bool const put = f.try_put_and_wait(1) && b.try_put_and_wait(2);
  flow::receiver<int>& any = f;
  (void)(put && any.try_put_and_wait(3));
}

void resources() {
  graph g;
  flow::resource_limiter<int> one{1, 2}, two(std::vector<int>{1, 2});
  std::vector<int> const handles{1, 2};
  flow::resource_limiter<int> ranged(handles.begin(), handles.end());
  using node = flow::resource_limited_node<int, std::tuple<int>>;
  using ports = node::output_ports_type;
  node n(g, flow::unlimited, std::tie(one, two),
         [](int const& x, ports& p, int& a, int& b) { std::get<0>(p).try_put(x + a + b); });
  flow::queue_node<int> q(g);
  flow::make_edge(flow::output_port<0>(n), q);
  n.try_put(1);
  g.wait_for_all();
}

// A provider of the user's own.
struct provider : tbb::detail::d2::resource_provider_base<int> {
  using base = tbb::detail::d2::resource_provider_base<int>;
  using resource_handle_type = int;
  using consumer_type = base::consumer_type;
  using optional_type = base::optional_type;
  using request_id = tbb::detail::d2::request_id;
  static_assert(same<consumer_type, tbb::detail::d2::resource_consumer_base<int>>);
  static_assert(same<optional_type, tbb::detail::d2::resource_handle_optional<int>>);
  static_assert(same<consumer_type::provider_type, base>);
  void request(consumer_type& by, request_id id) override { by.notify(*this, id); }
  optional_type acquire(consumer_type&, request_id) override { return {optional_type::in_place_t{}, 1}; }
  void report_pressure(consumer_type&, std::size_t) override {}
  void release(consumer_type&, request_id, optional_type&& handle) override {
    if (handle.has_value()) last_ = handle.value();
  }
  void withdraw(consumer_type&, request_id) override {}
  int last_ = 0;
};

void providers() {
  graph g;
  provider p;
  flow::resource_limiter<int> one{1};
  using node = flow::resource_limited_node<int, std::tuple<int>>;
  node n(g, flow::unlimited, std::tie(p, one), [](int const&, node::output_ports_type&, int&, int&) {});
  n.try_put(1);
  tbb::detail::d2::request_id const first(1), second(2);
  (void)(first < second || first == second || tbb::detail::d2::request_id::hash()(first) != 0);
  g.wait_for_all();
}

}  // namespace

// What a program that only needs the names may use.
void flow_preview_names() {
  sets();
  keys();
  waits();
  resources();
  providers();
}
