// SPDX-License-Identifier: Apache-2.0
// The nodes with one input and one output, as port_nodes.h has them.
#include "port_nodes.h"

namespace differ {

namespace {

constexpr std::size_t limits[] = {flow::serial, 2, flow::unlimited};

template <typename Policy>
port_node function(flow::graph& g, step const& p) {
  port_node made;
  auto& node = own_node<flow::function_node<counted, counted, Policy>>(made, p.b % 2 == 0, g, limits[p.b / 2 % 3],
                                                                       [calls = 0](counted const& c) mutable {
                                                                         ++calls;
                                                                         return counted(c.value * 10 + calls);
                                                                       });
  takes(made, node);
  gives(made, node);
  return made;
}

port_node continues(flow::graph& g, step const& p) {
  port_node made;
  auto& node = own_node<flow::continue_node<counted>>(
      made, p.b % 2 == 0, g, 1 + p.b / 2 % 3, [calls = 0](flow::continue_msg) mutable { return counted(++calls); });
  made.puts.push_back([&node](int) { return node.try_put(flow::continue_msg()); });
  gives(made, node);
  return made;
}

port_node broadcast(flow::graph& g, step const& p) {
  port_node made;
  auto& node = own_node<flow::broadcast_node<counted>>(made, p.b % 2 == 0, g);
  takes(made, node);
  gives(made, node);
  return made;
}

template <typename Node, typename... Arguments>
port_node holder(flow::graph& g, step const& p, Arguments const&... arguments) {
  port_node made;
  Node& node = own_node<Node>(made, p.b % 2 == 0, g, arguments...);
  takes(made, node);
  gives(made, node);
  holds(made, node);
  return made;
}

template <typename Node>
port_node overwrite(flow::graph& g, step const& p) {
  port_node made = holder<Node>(g, p);
  auto* const node = static_cast<Node*>(made.nodes.back().get());
  made.ask = [node, clears = false]() mutable {
    clears = !clears;
    bool const valid = node->is_valid();
    if (clears) node->clear();
    return text(valid) + text(node->is_valid());
  };
  return made;
}

port_node limiter(flow::graph& g, step const& p) {
  port_node made;
  auto& node =
      own_node<flow::limiter_node<counted, int>>(made, p.b % 2 == 0, g, static_cast<std::size_t>(1 + p.b / 2 % 4));
  takes(made, node);
#if DIFFER_ONETBB
  made.puts.push_back([&node](int i) { return node.decrementer().try_put(1 + i % 3); });
#else
  made.puts.push_back([&node](int i) { return node.decrement.try_put(1 + i % 3); });
#endif
  gives(made, node);
  return made;
}

#if DIFFER_ONETBB
port_node input(flow::graph& g, step const& p) {
  port_node made;
  auto& node = own_node<flow::input_node<counted>>(
      made, p.b % 2 == 0, g, [next = 0, most = 1 + p.b / 2 % 6](tbb::flow_control& control) mutable {
        if (next >= most) {
          control.stop();
          return counted(-9);
        }
        return counted(next++);
      });
  gives(made, node);
  holds(made, node);
  made.activate = [&node] { node.activate(); };
  return made;
}
#endif

}  // namespace

port_node make_port_node(flow::graph& g, step const& p, port_notes& notes) {
  switch (p.a % (narrow_port_nodes + wide_port_nodes)) {
    case 0:
      return function<flow::queueing>(g, p);
    case 1:
      return function<flow::rejecting>(g, p);
    case 2:
      return function<flow::queueing_lightweight>(g, p);
    case 3:
      return function<flow::rejecting_lightweight>(g, p);
    case 4:
      return continues(g, p);
    case 5:
      return broadcast(g, p);
    case 6:
      return holder<flow::queue_node<counted>>(g, p);
    case 7:
      return holder<flow::priority_queue_node<counted>>(g, p);
    case 8:
      return holder<flow::priority_queue_node<counted, std::greater<counted>>>(g, p, std::greater<counted>());
    case 9:
      return holder<flow::sequencer_node<counted>>(g, p,
                                                   [](counted const& c) { return static_cast<std::size_t>(c.value); });
    case 10:
      return overwrite<flow::overwrite_node<counted>>(g, p);
    case 11:
      return overwrite<flow::write_once_node<counted>>(g, p);
    case 12:
    case 13:
      return limiter(g, p);
#if DIFFER_ONETBB
    case 14:
      return input(g, p);
#endif
    default:
      return make_wide_port_node(g, p, notes);
  }
}

}  // namespace differ
