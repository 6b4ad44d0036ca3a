// SPDX-License-Identifier: Apache-2.0
// Graphs whose messages, bodies and keys are of the program's types (traps.py).
#define TBB_PREVIEW_FLOW_GRAPH_FEATURES 1
#define TBB_PREVIEW_FLOW_GRAPH_NODES 1
#define TBB_PREVIEW_FLOW_GRAPH_RESOURCE_LIMITING 1
#define TBB_PREVIEW_ASYNC_MSG 1
#include "program.h"

#include <tbb/flow_graph.h>

#include <tuple>

namespace flow = tbb::flow;
using flow::serial;
using flow::unlimited;
using program::my_body;
using program::my_item;
using program::my_less;
using items = std::tuple<my_item, my_item>;

auto const same_item = my_body([](my_item const& i) { return i; });
auto const no_item = my_body([](my_item const&) { return flow::continue_msg(); });
auto const number = my_body([](my_item const& i) { return static_cast<std::size_t>(i.value); });

template <typename From, typename To>
void edges(From& from, To& to) {
  flow::make_edge(from, to);
  flow::remove_edge(from, to);
}
template <typename Node>
void buffer(flow::graph& g, Node& n) {
  Node copied(n);
  my_item i;
  edges(n, copied);
  n.try_put(my_item(1));
  n.try_put(i);
  n.try_put_and_wait(i);
  n.try_put_and_wait(my_item(1));
  n.try_get(i);
  n.try_reserve(i);
  n.try_release();
  n.try_consume();
  flow::function_node<my_item, my_item, flow::rejecting> last(g, serial, same_item);
  edges(n, last);
  edges(last, n);
}
void buffers(flow::graph& g) {
  flow::queue_node<my_item> queue(g);
  flow::buffer_node<my_item> any(g);
  flow::priority_queue_node<my_item, my_less> urgent(g);
  flow::sequencer_node<my_item> ordered(g, number);
  flow::overwrite_node<my_item> newest(g);
  flow::write_once_node<my_item> first(g);
  flow::broadcast_node<my_item> all(g);
  flow::limiter_node<my_item> limited(g, 1000);
  buffer(g, queue);
  buffer(g, any);
  buffer(g, urgent);
  buffer(g, ordered);
  buffer(g, newest);
  buffer(g, first);
  buffer(g, all);
  buffer(g, limited);
}

template <typename Policy>
void functions(flow::graph& g) {
  flow::queue_node<my_item> q(g);
  flow::function_node<my_item, my_item, Policy> one(g, serial, same_item), many(g, unlimited, same_item, Policy(), 1),
      copied(one);
  edges(one, many);
  edges(q, one);
  one.try_put(my_item(1));
  one.try_put_and_wait(my_item(1));
  auto const split = my_body([](my_item const& i, auto& ports) {
    std::get<0>(ports).try_put(i);
    std::get<1>(ports).try_put(my_item(1));
  });
  flow::multifunction_node<my_item, items, Policy> multi(g, serial, split), every(g, unlimited, split);
  edges(multi, one);
  edges(flow::output_port<1>(multi), one);
  multi.try_put(my_item(1));
  every.try_put(my_item(1));
  flow::async_node<my_item, my_item, Policy> async(g, serial, my_body([](my_item const& i, auto& way) {
                                                     way.reserve_wait();
                                                     way.try_put(i);
                                                     way.release_wait();
                                                   }));
  edges(async, one);
  async.try_put(my_item(1));
}
void bodies(flow::graph& g) {
  functions<flow::queueing>(g);
  functions<flow::rejecting>(g);
  functions<flow::queueing_lightweight>(g);
  functions<flow::rejecting_lightweight>(g);
  flow::queue_node<my_item> q(g);
  flow::input_node<my_item> source(g, my_body([](tbb::flow_control& end) { return end.stop(), my_item(1); }));
  flow::continue_node<my_item> next(g, my_body([](flow::continue_msg) { return my_item(1); }));
  flow::function_node<my_item> ends(g, serial, no_item);
  flow::function_node<my_item, flow::continue_msg> drops(g, serial, my_body([](my_item const&) {}));
  edges(source, q);
  edges(next, q);
  edges(ends, next);
  source.activate();
  next.try_put(flow::continue_msg());
  ends.try_put(my_item(1));
  drops.try_put(my_item(1));
#if !ASHLAR_CLASSIC_DIALECT
  flow::function_node deduced(g, serial, program::my_function());
  deduced.try_put(my_item(1));
#endif
}

template <typename Join>
void join(flow::graph& g, Join& joint) {
  Join copied(joint);
  flow::queue_node<my_item> left(g), right(g);
  flow::queue_node<items> tuples(g);
  items t;
  flow::make_edge(left, flow::input_port<0>(joint));
  flow::make_edge(right, flow::input_port<1>(joint));
  edges(joint, tuples);
  joint.try_get(t);
  g.wait_for_all();
  flow::remove_edge(left, flow::input_port<0>(joint));
}
void joins(flow::graph& g) {
  auto const key = my_body([](my_item const& i) { return i; });
  flow::join_node<items> queueing(g);
  flow::join_node<items, flow::reserving> reserving(g);
  flow::join_node<items, flow::key_matching<my_item, program::my_hash_compare>> matching(g, key, key);
  flow::join_node<items, flow::tag_matching> tagged(g, number, number);
  join(g, queueing);
  join(g, reserving);
  join(g, matching);
  join(g, tagged);
  flow::indexer_node<my_item, my_item> index(g);
  using message = flow::indexer_node<my_item, my_item>::output_type;
  flow::function_node<message> last(g, serial, my_body([](message const& m) {
                                      if (m.is_a<my_item>()) (void)flow::cast_to<my_item>(m).value;
                                      return flow::continue_msg();
                                    }));
  flow::input_port<0>(index).try_put(my_item(1));
  edges(index, last);
  flow::split_node<items> split(g);
  flow::queue_node<my_item> q(g);
  edges(split, q);
  edges(flow::output_port<1>(split), q);
  split.try_put(items(1, 2));
}
void composites(flow::graph& g) {
  using composite = flow::composite_node<std::tuple<my_item>, std::tuple<my_item>>;
  flow::queue_node<my_item> in(g), out(g);
  composite c(g);
  c.set_external_ports(composite::input_ports_type(in), composite::output_ports_type(out));
  edges(in, c);
  edges(c, out);
  edges(c, c);
}
void sets(flow::graph& g) {
  flow::broadcast_node<my_item> a(g), b(g);
  auto const set = flow::make_node_set(a, b);
  flow::join_node<items> joint(flow::follows(a, b));
  flow::split_node<items> split(flow::precedes(a, b));
  flow::queue_node<my_item> q(flow::follows(a, b)), r(flow::precedes(a, b));
  flow::function_node<my_item, my_item> f(flow::follows(a), serial, same_item);
  flow::make_edges(set, q);
  flow::make_edges(r, set);
}
#if ASHLAR_CLASSIC_DIALECT
struct my_message : flow::async_msg<my_item> {};
void classic(flow::graph& g) {
  flow::source_node<my_item> source(g, my_body([](my_item& i) { return i.value++ < 3; }), false);
  flow::function_node<my_item, flow::async_msg<my_item>> late(g, serial, my_body([](my_item const& i) {
                                                                flow::async_msg<my_item> m;
                                                                m.set(i);
                                                                return m;
                                                              }));
  flow::queue_node<my_item> q(g);
  flow::queue_node<my_message> messages(g);
  edges(source, q);
  edges(late, q);
  edges(messages, q);
  source.activate();
}
#else
void limited(flow::graph& g) {
  flow::resource_limiter<my_item> limiter{my_item(1), my_item(2)};
  auto const body = my_body([](my_item const& i, auto& ports, my_item&) { std::get<0>(ports).try_put(i); });
  flow::resource_limited_node<my_item, std::tuple<my_item>> node(g, serial, std::tie(limiter), body);
  flow::queue_node<my_item> q(g);
  edges(node, q);
  node.try_put(my_item(1));
}
#endif

int main() {
  flow::graph g;
  buffers(g);
  bodies(g);
  joins(g);
  composites(g);
  sets(g);
#if ASHLAR_CLASSIC_DIALECT
  classic(g);
#else
  limited(g);
#endif
}
