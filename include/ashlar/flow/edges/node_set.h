// SPDX-License-Identifier: Apache-2.0
// Sets of nodes, to which edges are made at once: tbb::flow::make_node_set, follows, precedes, make_edges. Users
// include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/ports.h>

#include <type_traits>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

// What a set is to a node that is constructed from it.
namespace order {
struct undefined {};
struct following {};  // the node follows the set: edges go from the set to the node
struct preceding {};  // edges go from the node to the set
}  // namespace order

/// References to nodes (or ports); they must live as long as the set is used.
template <typename Order, typename... Nodes>
struct node_set {
  using order_type = Order;
  explicit node_set(Nodes&... n) noexcept : nodes(n...) {}
  explicit node_set(std::tuple<Nodes&...> const& n) noexcept : nodes(n) {}
  /// The first one's.
  graph& graph_reference() const noexcept {
    auto& first = std::get<0>(nodes);
    if constexpr (std::is_base_of_v<graph_node, std::remove_reference_t<decltype(first)>>) {
      return first.graph_reference_of_node();
    } else {
      return first.its_graph();
    }
  }

  std::tuple<Nodes&...> nodes;
};

template <typename Node, typename = void>
inline constexpr bool has_input_ports = false;
template <typename Node>
inline constexpr bool has_input_ports<Node, std::void_t<typename Node::input_ports_type>> = true;
template <typename Node, typename = void>
inline constexpr bool has_output_ports = false;
template <typename Node>
inline constexpr bool has_output_ports<Node, std::void_t<typename Node::output_ports_type>> = true;

/// Edges between the I-th node of the set and the node, or its I-th port if it has ports.
template <std::size_t At, typename From, typename Node>
void make_numbered_edge_to(From& from, Node& node) {
  if constexpr (has_input_ports<Node>) {
    make_edge(from, input_port<At>(node));
  } else {
    make_edge(from, node);
  }
}
template <std::size_t At, typename Node, typename To>
void make_numbered_edge_from(Node& node, To& to) {
  if constexpr (has_output_ports<Node>) {
    make_edge(output_port<At>(node), to);
  } else {
    make_edge(node, to);
  }
}
template <typename Set, typename Node, std::size_t... At>
void make_edges_from_set(Set const& set, Node& node, std::index_sequence<At...>) {
  (make_numbered_edge_to<At>(std::get<At>(set.nodes), node), ...);
}
template <typename Set, typename Node, std::size_t... At>
void make_edges_to_set(Node& node, Set const& set, std::index_sequence<At...>) {
  (make_numbered_edge_from<At>(node, std::get<At>(set.nodes)), ...);
}

/// From each node of the set to the node, or, if it has ports, to the port of the same number.
template <typename Order, typename... Nodes, typename Node>
void make_edges(node_set<Order, Nodes...> const& set, Node& node) {
  make_edges_from_set(set, node, std::index_sequence_for<Nodes...>());
}
/// From the node, or, if it has ports, from the port of the same number, to each node of the set.
template <typename Node, typename Order, typename... Nodes>
void make_edges(Node& node, node_set<Order, Nodes...> const& set) {
  make_edges_to_set(node, set, std::index_sequence_for<Nodes...>());
}

/// For the constructors of nodes.
template <typename... Nodes, typename Node>
void make_edges_in_order(node_set<order::following, Nodes...> const& set, Node& node) {
  make_edges(set, node);
}
template <typename... Nodes, typename Node>
void make_edges_in_order(node_set<order::preceding, Nodes...> const& set, Node& node) {
  make_edges(node, set);
}

template <typename Node, typename... Nodes>
node_set<order::undefined, Node, Nodes...> make_node_set(Node& first, Nodes&... more) {
  return node_set<order::undefined, Node, Nodes...>(first, more...);
}
/// For the constructor of a node that comes after these, or before them.
template <typename Node, typename... Nodes>
node_set<order::following, Node, Nodes...> follows(Node& first, Nodes&... more) {
  return node_set<order::following, Node, Nodes...>(first, more...);
}
template <typename... Nodes>
node_set<order::following, Nodes...> follows(node_set<order::undefined, Nodes...> const& set) {
  return node_set<order::following, Nodes...>(set.nodes);
}
template <typename... Nodes>
node_set<order::following, Nodes...> follows(node_set<order::undefined, Nodes...>& set) {
  return node_set<order::following, Nodes...>(set.nodes);
}
template <typename Node, typename... Nodes>
node_set<order::preceding, Node, Nodes...> precedes(Node& first, Nodes&... more) {
  return node_set<order::preceding, Node, Nodes...>(first, more...);
}
template <typename... Nodes>
node_set<order::preceding, Nodes...> precedes(node_set<order::undefined, Nodes...> const& set) {
  return node_set<order::preceding, Nodes...>(set.nodes);
}
template <typename... Nodes>
node_set<order::preceding, Nodes...> precedes(node_set<order::undefined, Nodes...>& set) {
  return node_set<order::preceding, Nodes...>(set.nodes);
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, make_edges)
ASHLAR_FLOW_KNOWN_IN(11, make_node_set)
ASHLAR_FLOW_KNOWN_IN(11, follows)
ASHLAR_FLOW_KNOWN_IN(11, precedes)
}  // namespace flow
}  // namespace tbb
