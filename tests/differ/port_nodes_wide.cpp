// SPDX-License-Identifier: Apache-2.0
// The nodes with several inputs or outputs, as port_nodes.h has them: their bodies note what their puts return.
#include "port_nodes.h"

namespace differ {

namespace {

using pair = std::tuple<counted, counted>;

template <typename Policy>
port_node multifunction(flow::graph& g, step const& p, port_notes& notes) {
  using node_type = flow::multifunction_node<counted, pair, Policy>;
  port_node made;
  auto& node = own_node<node_type>(
      made, p.b % 2 == 0, g, flow::serial, [&notes](counted const& c, typename node_type::output_ports_type& ports) {
        if (c.value % 3 != 1) notes.push_back("first " + text(std::get<0>(ports).try_put(counted(c.value * 2))));
        if (c.value % 3 != 2) notes.push_back("second " + text(std::get<1>(ports).try_put(counted(c.value * 3))));
        if (c.value % 4 == 0) notes.push_back("again " + text(std::get<0>(ports).try_put(c)));
      });
  takes(made, node);
  made.outputs = {&flow::output_port<0>(node), &flow::output_port<1>(node)};
  return made;
}

port_node asynchronous(flow::graph& g, step const& p, port_notes& notes) {
  using node_type = flow::async_node<counted, counted>;
  port_node made;
  auto& node = own_node<node_type>(made, p.b % 2 == 0, g, flow::serial,
                                   [&notes](counted const& c, node_type::gateway_type& gateway) {
                                     gateway.reserve_wait();
                                     notes.push_back("gateway " + text(gateway.try_put(counted(c.value + 1))));
                                     if (c.value % 3 == 0) notes.push_back("again " + text(gateway.try_put(c)));
                                     gateway.release_wait();
                                   });
  takes(made, node);
  made.puts.push_back([&node](int i) { return node.gateway().try_put(counted(i)); });
  made.outputs = {&flow::output_port<0>(node)};
  return made;
}

port_node split(flow::graph& g, step const& p) {
  port_node made;
  auto& node = own_node<flow::split_node<pair>>(made, p.b % 2 == 0, g);
  made.puts.push_back([&node](int i) { return node.try_put(pair(counted(i), counted(i + 100))); });
  made.outputs = {&flow::output_port<0>(node), &flow::output_port<1>(node)};
  return made;
}

// Behind what gives pairs: a node whose outputs take counted ones.
template <typename Input, typename Node, typename Value>
void translate(port_node& made, flow::graph& g, Node& node, Value const& value) {
  auto behind = std::make_shared<flow::function_node<Input, counted>>(
      g, flow::serial, [value](Input const& input) { return counted(value(input)); });
  made.nodes.push_back(behind);
  flow::make_edge(node, *behind);
  made.outputs = {behind.get()};
}

int both(pair const& x) { return std::get<0>(x).value * 1000 + std::get<1>(x).value; }

template <typename Join, typename... Arguments>
port_node join(flow::graph& g, step const& p, Arguments const&... arguments) {
  port_node made;
  auto& node = own_node<Join>(made, p.b % 2 == 0, g, arguments...);
  made.puts.push_back([&node](int i) { return flow::input_port<0>(node).try_put(counted(i)); });
  made.puts.push_back([&node](int i) { return flow::input_port<1>(node).try_put(counted(i)); });
  if (p.b / 2 % 2 == 0) {
    translate<pair>(made, g, node, both);
  } else {
    made.get = [&node] {
      pair x(counted(-7), counted(-7));
      bool const got = node.try_get(x);
      return text(got) + text(got ? both(x) : 0);
    };
  }
  return made;
}

// Behind queues, for it takes from them.
port_node reserving_join(flow::graph& g, step const& p) {
  port_node made;
  auto& node = own_node<flow::join_node<pair, flow::reserving>>(made, p.b % 2 == 0, g);
  auto left = std::make_shared<flow::queue_node<counted>>(g);
  auto right = std::make_shared<flow::queue_node<counted>>(g);
  flow::make_edge(*left, flow::input_port<0>(node));
  flow::make_edge(*right, flow::input_port<1>(node));
  takes(made, *left);
  takes(made, *right);
  made.nodes.insert(made.nodes.begin(), {left, right});
  translate<pair>(made, g, node, both);
  return made;
}

port_node indexer(flow::graph& g, step const& p) {
  using node_type = flow::indexer_node<counted, counted>;
  port_node made;
  auto& node = own_node<node_type>(made, p.b % 2 == 0, g);
  made.puts.push_back([&node](int i) { return flow::input_port<0>(node).try_put(counted(i)); });
  made.puts.push_back([&node](int i) { return flow::input_port<1>(node).try_put(counted(i)); });
  translate<node_type::output_type>(made, g, node, [](node_type::output_type const& message) {
    return static_cast<int>(message.tag()) * 1000 + flow::cast_to<counted>(message).value +
           (flow::is_a<counted>(message) ? 0 : 500);
  });
  return made;
}

// Nodes that a composite_node shows as its ports.
port_node composite(flow::graph& g, step const& p) {
  using node_type = flow::composite_node<std::tuple<counted, counted>, std::tuple<counted>>;
  port_node made;
  auto queue = std::make_shared<flow::queue_node<counted>>(g);
  auto adds = std::make_shared<flow::function_node<counted, counted>>(
      g, flow::serial, [p](counted const& c) { return counted(c.value + p.n); });
  auto node = std::make_shared<node_type>(g);
  node->set_external_ports(node_type::input_ports_type(*queue, *adds), node_type::output_ports_type(*adds));
  flow::make_edge(*queue, *adds);
  made.nodes = {node, queue, adds};
  made.puts.push_back([n = node.get()](int i) { return flow::input_port<0>(*n).try_put(counted(i)); });
  made.puts.push_back([n = node.get()](int i) { return flow::input_port<1>(*n).try_put(counted(i)); });
  made.outputs = {&flow::output_port<0>(*node)};
  return made;
}

}  // namespace

port_node make_wide_port_node(flow::graph& g, step const& p, port_notes& notes) {
  auto const key = [](counted const& c) { return c.value; };  // which of two with a key is kept is open
  switch (p.a % (narrow_port_nodes + wide_port_nodes)) {
    case 15:
      return multifunction<flow::queueing>(g, p, notes);
    case 16:
      return multifunction<flow::rejecting>(g, p, notes);
    case 17:
      return asynchronous(g, p, notes);
    case 18:
      return split(g, p);
    case 19:
      return join<flow::join_node<pair, flow::queueing>>(g, p);
    case 20:
      return reserving_join(g, p);
    case 21:
      return join<flow::join_node<pair, flow::key_matching<int>>>(g, p, key, key);
    case 22:
      return indexer(g, p);
    default:
      return composite(g, p);
  }
}

}  // namespace differ
