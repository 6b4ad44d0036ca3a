// SPDX-License-Identifier: Apache-2.0
// Sets of nodes, to which edges are made at once: tbb::flow::make_node_set, follows, precedes, make_edges. Users
// include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/ports.h>

#include <type_traits>

ASHLAR_FLOW_PARTS

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
  /// From each node of the set to the node, or, if it has ports, to the port of the same number.
  template <typename Node>
  void make_edges_to(Node& n) const {
    make_edges_to(n, std::index_sequence_for<Nodes...>());
  }
  /// From the node, or, if it has ports, from the port of the same number, to each node of the set.
  template <typename Node>
  void make_edges_from(Node& n) const {
    make_edges_from(n, std::index_sequence_for<Nodes...>());
  }

  std::tuple<Nodes&...> nodes;

 private:
  template <typename Node, std::size_t... At>
  void make_edges_to(Node& n, std::index_sequence<At...>) const {
    (flow::connect(flow::output_end<0>(std::get<At>(nodes)), flow::input_end<At>(n)), ...);
  }
  template <typename Node, std::size_t... At>
  void make_edges_from(Node& n, std::index_sequence<At...>) const {
    (flow::connect(flow::output_end<At>(n), flow::input_end<0>(std::get<At>(nodes))), ...);
  }
};

/// Where a node is made: in a graph, or beside the nodes of a set, to or from which it has edges when it is complete. A
/// node's constructor takes this and gives it to the node's life, which makes the edges. `Follows`: edges may lead to
/// the node.
template <typename Node, bool Follows = true>
class position {
 public:
  template <typename Graph, typename = std::enable_if_t<std::is_convertible_v<Graph, graph&>>>
  position(Graph&& g) noexcept : graph_(&static_cast<graph&>(g)) {}  // NOLINT: implicit
  template <typename... Nodes, bool F = Follows, typename = std::enable_if_t<F>>
  position(node_set<order::following, Nodes...> const& s) noexcept  // NOLINT: implicit
      : graph_(&s.graph_reference()), set_(&s), make_edges_([](void const* set, Node& n) {
          static_cast<node_set<order::following, Nodes...> const*>(set)->make_edges_to(n);
        }) {}
  template <typename... Nodes>
  position(node_set<order::preceding, Nodes...> const& s) noexcept  // NOLINT: implicit
      : graph_(&s.graph_reference()), set_(&s), make_edges_([](void const* set, Node& n) {
          static_cast<node_set<order::preceding, Nodes...> const*>(set)->make_edges_from(n);
        }) {}

  graph& its_graph() const noexcept { return *graph_; }
  graph_core& core() const noexcept { return graph_->core(); }
  void make_edges(Node& n) const {
    if (make_edges_ != nullptr) make_edges_(set_, n);
  }

 private:
  graph* const graph_;
  void const* const set_ = nullptr;
  void (*const make_edges_)(void const* set, Node& n) = nullptr;
};

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// From each node of the set to the node, or, if it has ports, to the port of the same number.
template <typename Order, typename... Nodes, typename Node>
void make_edges(::ashlar::flow::node_set<Order, Nodes...> const& set, Node& node) {
  set.make_edges_to(node);
}
/// From the node, or, if it has ports, from the port of the same number, to each node of the set.
template <typename Node, typename Order, typename... Nodes>
void make_edges(Node& node, ::ashlar::flow::node_set<Order, Nodes...> const& set) {
  set.make_edges_from(node);
}

template <typename Node, typename... Nodes>
::ashlar::flow::node_set<::ashlar::flow::order::undefined, Node, Nodes...> make_node_set(Node& first, Nodes&... more) {
  return ::ashlar::flow::node_set<::ashlar::flow::order::undefined, Node, Nodes...>(first, more...);
}
/// For the constructor of a node that comes after these, or before them.
template <typename Node, typename... Nodes>
::ashlar::flow::node_set<::ashlar::flow::order::following, Node, Nodes...> follows(Node& first, Nodes&... more) {
  return ::ashlar::flow::node_set<::ashlar::flow::order::following, Node, Nodes...>(first, more...);
}
template <typename... Nodes>
auto follows(::ashlar::flow::node_set<::ashlar::flow::order::undefined, Nodes...> const& set) {
  return ::ashlar::flow::node_set<::ashlar::flow::order::following, Nodes...>(set.nodes);
}
template <typename... Nodes>
auto follows(::ashlar::flow::node_set<::ashlar::flow::order::undefined, Nodes...>& set) {
  return ::ashlar::flow::node_set<::ashlar::flow::order::following, Nodes...>(set.nodes);
}
template <typename Node, typename... Nodes>
::ashlar::flow::node_set<::ashlar::flow::order::preceding, Node, Nodes...> precedes(Node& first, Nodes&... more) {
  return ::ashlar::flow::node_set<::ashlar::flow::order::preceding, Node, Nodes...>(first, more...);
}
template <typename... Nodes>
auto precedes(::ashlar::flow::node_set<::ashlar::flow::order::undefined, Nodes...> const& set) {
  return ::ashlar::flow::node_set<::ashlar::flow::order::preceding, Nodes...>(set.nodes);
}
template <typename... Nodes>
auto precedes(::ashlar::flow::node_set<::ashlar::flow::order::undefined, Nodes...>& set) {
  return ::ashlar::flow::node_set<::ashlar::flow::order::preceding, Nodes...>(set.nodes);
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, make_edges)
ASHLAR_FLOW_KNOWN_IN(11, make_node_set)
ASHLAR_FLOW_KNOWN_IN(11, follows)
ASHLAR_FLOW_KNOWN_IN(11, precedes)
}  // namespace flow
}  // namespace tbb
