// SPDX-License-Identifier: Apache-2.0
// Tuples of ports: the outputs of nodes with several, and input_port<N>, output_port<N>, make_edge for nodes with
// ports.
#pragma once

#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/engine/running_body.h>

#include <tuple>

ASHLAR_FLOW_PARTS

/// An output that a body puts into. try_put is false if no successor has taken the message. While the graph is
/// cancelled the successors' refusal is no answer: the message is dropped as all that is under way, and try_put is
/// true, so that a body that tries until it is ends.
template <typename T>
class multifunction_output : public node_output<T> {
 public:
  using output_type = T;
  multifunction_output(graph& g) noexcept : node_output<T>(g.core()), graph_(&g) {}  // NOLINT: std::tuple
  multifunction_output(multifunction_output const& o) noexcept : multifunction_output(*o.graph_) {}
  bool try_put(T const& v) { return put(const_cast<T&>(v), passage::copied(running_body::token())); }
  bool try_put(T&& v) { return put(v, passage::moved(running_body::token())); }

  // Puts the message into all successors without starting what they answer: null, accepted() or a job.
  job* hand_on(T& v, passage p) { return this->broadcast(*this, v, p); }
  void reset_port(reset_flags f) { this->reset_output(f); }
  void describe(picture& to) { this->describe_output(to); }
  graph& its_graph() const noexcept { return *graph_; }

 private:
  bool put(T& v, passage p) {
    job* const answer = this->broadcast(*this, v, p);
    if (auto* const j = job_or_null(answer)) graph_->core().start(*j);
    return ASHLAR_LIKELY(answer != nullptr) || is_dropped();
  }
  ASHLAR_NOINLINE ASHLAR_COLD bool is_dropped() const noexcept {
    return graph_->core().ends_waits() && this->successors_.has_any();
  }
  graph* const graph_;
};

template <typename Node, typename = void>
inline constexpr bool has_input_ports = false;
template <typename Node>
inline constexpr bool has_input_ports<Node, std::void_t<typename Node::input_ports_type>> = true;
template <typename Node, typename = void>
inline constexpr bool has_output_ports = false;
template <typename Node>
inline constexpr bool has_output_ports<Node, std::void_t<typename Node::output_ports_type>> = true;

/// Where an edge to the node leads: to its port of this number, or, if it has none, to the node.
template <std::size_t At, typename Node>
auto& input_end(Node& n) {
  if constexpr (has_input_ports<Node>) {
    return std::get<At>(n.input_ports());
  } else {
    return n;
  }
}
/// Where an edge from the node comes from.
template <std::size_t At, typename Node>
auto& output_end(Node& n) {
  if constexpr (has_output_ports<Node>) {
    return std::get<At>(n.output_ports());
  } else {
    return n;
  }
}
template <typename From, typename To>
using if_ports = std::enable_if_t<has_output_ports<From> || has_input_ports<To>>;

/// A tuple whose elements are all made of the same argument, in place.
template <typename Tuple>
struct tuple_of;
template <typename... Ts>
struct tuple_of<std::tuple<Ts...>> {
  template <typename A>
  static std::tuple<Ts...> made_of(A& a) {
    return std::tuple<Ts...>((static_cast<void>(sizeof(Ts)), a)...);
  }
};

/// A tuple of ports Port<T, number, Owner>, one for each of Ts.
template <template <typename, std::size_t, typename> class Port, typename Owner, typename Indexes, typename... Ts>
struct port_types;
template <template <typename, std::size_t, typename> class Port, typename Owner, std::size_t... At, typename... Ts>
struct port_types<Port, Owner, std::index_sequence<At...>, Ts...> {
  using type = std::tuple<Port<Ts, At, Owner>...>;
};
template <template <typename, std::size_t, typename> class Port, typename Owner, typename... Ts>
using numbered_ports = typename port_types<Port, Owner, std::index_sequence_for<Ts...>, Ts...>::type;

/// The ports of a node, an output for each element of a tuple.
template <typename Tuple>
class output_ports_base;
template <typename... Ts>
class output_ports_base<std::tuple<Ts...>> {
 public:
  using output_ports_type = std::tuple<multifunction_output<Ts>...>;
  output_ports_type& output_ports() { return ports_; }

 protected:
  explicit output_ports_base(graph& g) : ports_(tuple_of<output_ports_type>::made_of(g)) {}
  /// Of another node of the same graph, without its edges.
  output_ports_base(output_ports_base const&) = default;
  ~output_ports_base() = default;
  void reset_ports(reset_flags f) {
    std::apply([f](auto&... port) { (port.reset_port(f), ...); }, ports_);
  }
  void describe_ports(picture& to) {
    std::apply([&to](auto&... port) { (port.describe(to), ...); }, ports_);
  }

  output_ports_type ports_;
};

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

template <std::size_t N, typename Node>
auto& input_port(Node& n) {
  return std::get<N>(n.input_ports());
}
template <std::size_t N, typename Node>
auto& output_port(Node& n) {
  return std::get<N>(n.output_ports());
}

// ---- edges of nodes with ports: from and to their port 0
template <typename From, typename To, typename = ::ashlar::flow::if_ports<From, To>>
void make_edge(From& from, To& to) {
  ::ashlar::flow::connect(::ashlar::flow::output_end<0>(from), ::ashlar::flow::input_end<0>(to));
}
template <typename From, typename To, typename = ::ashlar::flow::if_ports<From, To>>
void remove_edge(From& from, To& to) {
  ::ashlar::flow::disconnect(::ashlar::flow::output_end<0>(from), ::ashlar::flow::input_end<0>(to));
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, input_port)
ASHLAR_FLOW_KNOWN_IN(11, output_port)
ASHLAR_FLOW_KNOWN_IN(11, make_edge)
ASHLAR_FLOW_KNOWN_IN(11, remove_edge)
}  // namespace flow
}  // namespace tbb
