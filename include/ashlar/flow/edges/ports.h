// SPDX-License-Identifier: Apache-2.0
// Tuples of ports: the outputs of nodes with several, and input_port<N>, output_port<N>, make_edge for nodes with
// ports.
#pragma once

#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/engine/running_body.h>

#include <tuple>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// An output that a body puts into. try_put is false if no successor has taken the message. While the graph is
/// cancelled the successors' refusal is no answer: the message is dropped as all that is under way, and try_put is
/// true, so that a body that tries until it is ends.
template <typename T>
class multifunction_output : public node_output<T> {
  using passage = ::ashlar::flow::passage;

 public:
  using output_type = T;
  multifunction_output(graph& g) noexcept : node_output<T>(g.core()), graph_(&g) {}  // NOLINT: std::tuple
  multifunction_output(multifunction_output const& o) noexcept : multifunction_output(*o.graph_) {}
  bool try_put(T const& v) { return put(const_cast<T&>(v), passage::copied(::ashlar::flow::running_body::token())); }
  bool try_put(T&& v) { return put(v, passage::moved(::ashlar::flow::running_body::token())); }

  // Puts the message into all successors without starting what they answer: null, accepted() or a job.
  ::ashlar::sched::job* hand_on(T& v, passage p) { return this->broadcast(*this, v, p); }
  void clear() { this->clear_successors(); }
  void describe(::ashlar::flow::picture& to) { this->describe_output(to); }
  graph& its_graph() const noexcept { return *graph_; }

 private:
  bool put(T& v, passage p) {
    ::ashlar::sched::job* const answer = this->broadcast(*this, v, p);
    if (auto* const j = ::ashlar::flow::job_or_null(answer)) graph_->core().start(*j);
    return ASHLAR_LIKELY(answer != nullptr) || is_dropped();
  }
  ASHLAR_NOINLINE ASHLAR_COLD bool is_dropped() const noexcept {
    return graph_->core().ends_waits() && this->successors_.has_any();
  }
  graph* const graph_;
};

template <typename Tuple>
struct output_tuple;
template <typename... Ts>
struct output_tuple<std::tuple<Ts...>> {
  using type = std::tuple<multifunction_output<Ts>...>;
  template <typename U>
  static graph& pick(graph& g) noexcept {
    return g;
  }
  static type make(graph& g) { return type(pick<Ts>(g)...); }
};

template <std::size_t N, typename Node>
auto& input_port(Node& n) {
  return std::get<N>(n.input_ports());
}
template <std::size_t N, typename Node>
auto& output_port(Node& n) {
  return std::get<N>(n.output_ports());
}

// ---- edges of nodes with ports: from and to their port 0
template <typename From, typename T, typename = typename From::output_ports_type>
void make_edge(From& from, receiver<T>& to) {
  make_edge(output_port<0>(from), to);
}
template <typename T, typename To, typename = typename To::input_ports_type, typename = void>
void make_edge(sender<T>& from, To& to) {
  make_edge(from, input_port<0>(to));
}
template <typename From, typename To, typename = typename From::output_ports_type,
          typename = typename To::input_ports_type, typename = void>
void make_edge(From& from, To& to) {
  make_edge(output_port<0>(from), input_port<0>(to));
}
template <typename From, typename T, typename = typename From::output_ports_type>
void remove_edge(From& from, receiver<T>& to) {
  remove_edge(output_port<0>(from), to);
}
template <typename T, typename To, typename = typename To::input_ports_type, typename = void>
void remove_edge(sender<T>& from, To& to) {
  remove_edge(from, input_port<0>(to));
}
template <typename From, typename To, typename = typename From::output_ports_type,
          typename = typename To::input_ports_type, typename = void>
void remove_edge(From& from, To& to) {
  remove_edge(output_port<0>(from), input_port<0>(to));
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, input_port)
ASHLAR_FLOW_KNOWN_IN(11, output_port)
ASHLAR_FLOW_KNOWN_IN(11, make_edge)
ASHLAR_FLOW_KNOWN_IN(11, remove_edge)
}  // namespace flow
}  // namespace tbb
