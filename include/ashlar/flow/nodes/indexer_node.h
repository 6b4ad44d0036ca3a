// SPDX-License-Identifier: Apache-2.0
// tbb::flow::indexer_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/edges/ports.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/nodes/tagged_msg.h>
#include <ashlar/flow/work/relay.h>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

template <typename Output>
class indexer_output : public node_output<Output> {
 public:
  explicit indexer_output(::ashlar::flow::graph_core& g) noexcept : node_output<Output>(g) {}
  ::ashlar::sched::job* send(Output& v, ::ashlar::flow::passage p) { return this->broadcast(*this, v, p); }
};

/// One input of an indexer_node.
template <typename T, std::size_t Index, typename Output>
class indexer_port : public relay<T> {
 public:
  explicit indexer_port(graph& g) noexcept : relay<T>(g) {}
  indexer_port(indexer_port const&) = delete;
  void set_output(indexer_output<Output>& o) noexcept { output_ = &o; }
  void describe(::ashlar::flow::picture& to) { this->describe_input(to); }

 private:
  ::ashlar::sched::job* hand_on(T& v, ::ashlar::flow::passage p) final {
    if (p.movable()) return send(Output(Index, std::move(v)), p.token());
    if constexpr (std::is_copy_constructible_v<T>) {
      return send(Output(Index, static_cast<T const&>(v)), p.token());
    } else {
      ::ashlar::flow::throw_not_copyable();
    }
  }
  ::ashlar::sched::job* send(Output&& tagged, ::ashlar::flow::wait_token* t) {
    return output_->send(tagged, ::ashlar::flow::passage::moved(t));
  }
  indexer_output<Output>* output_ = nullptr;
};

/// The ports, each made in place.
template <typename Output, typename Indexes, typename... Ts>
struct indexer_ports;
template <typename Output, std::size_t... At, typename... Ts>
struct indexer_ports<Output, std::index_sequence<At...>, Ts...> {
  using type = std::tuple<indexer_port<Ts, At, Output>...>;
  template <std::size_t>
  static graph& pick(graph& g) noexcept {
    return g;
  }
};

/// Sends the messages of all its inputs to all successors, each with the number of its input as a tag.
template <typename T0, typename... Ts>
class indexer_node : public living_node, public indexer_output<tagged_msg<std::size_t, T0, Ts...>> {
  static constexpr std::size_t inputs = 1 + sizeof...(Ts);
  using ports = indexer_ports<tagged_msg<std::size_t, T0, Ts...>, std::make_index_sequence<inputs>, T0, Ts...>;

 public:
  using tuple_types = std::tuple<T0, Ts...>;
  using output_type = tagged_msg<std::size_t, T0, Ts...>;
  using input_ports_type = typename ports::type;
  using successor_type = receiver<output_type>;

  explicit indexer_node(graph& g) : indexer_node(g, std::make_index_sequence<inputs>()) {}
  template <typename Order, typename... Nodes>
  explicit indexer_node(node_set<Order, Nodes...> const& nodes) : indexer_node(nodes.graph_reference()) {
    make_edges_in_order(nodes, *this);
  }
  indexer_node(indexer_node const& other) : indexer_node(other.my_graph) {}
  input_ports_type& input_ports() { return ports_; }

 private:
  template <std::size_t... At>
  indexer_node(graph& g, std::index_sequence<At...>)
      : living_node(g), indexer_output<output_type>(g.core()), ports_(ports::template pick<At>(g)...) {
    (std::get<At>(ports_).set_output(*this), ...);
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("indexer_node");
    std::apply([&to](auto&... port) { (port.describe(to), ...); }, ports_);
    this->describe_output(to);
  }
  void reset_node(reset_flags f) override {
    if ((f & rf_clear_edges) != 0) this->clear_successors();
  }
  life const& its_life() const noexcept override { return life_; }

  input_ports_type ports_;
  life const life_{*this};
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, indexer_node)
}  // namespace flow
}  // namespace tbb
