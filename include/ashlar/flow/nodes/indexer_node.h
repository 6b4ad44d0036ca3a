// SPDX-License-Identifier: Apache-2.0
// tbb::flow::indexer_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/edges/ports.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/nodes/tagged_msg.h>
#include <ashlar/flow/work/relay.h>

ASHLAR_FLOW_PARTS

template <typename Output>
class indexer_output : public node_output<Output> {
 public:
  using node_output<Output>::node_output;
  job* send(Output& v, passage p) { return this->broadcast(*this, v, p); }
};

/// One input of an indexer_node.
template <typename T, std::size_t Index, typename Output>
class indexer_port : public relay<T> {
 public:
  template <typename Node>
  explicit indexer_port(Node& n) noexcept : relay<T>(n.graph_reference_of_node()), output_(&n) {}
  indexer_port(indexer_port const&) = delete;
  void describe(picture& to) { this->describe_input(to); }

 private:
  job* hand_on(T& v, passage p) final {
    if (p.movable()) return send(Output(Index, std::move(v)), p.token());
    if constexpr (std::is_copy_constructible_v<T>) {
      return send(Output(Index, static_cast<T const&>(v)), p.token());
    } else {
      throw_not_copyable();
    }
  }
  job* send(Output&& tagged, wait_token* t) { return output_->send(tagged, passage::moved(t)); }
  indexer_output<Output>* const output_;
};

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Sends the messages of all its inputs to all successors, each with the number of its input as a tag.
template <typename T0, typename... Ts>
class indexer_node : public ::ashlar::flow::living_node,
                     public ::ashlar::flow::indexer_output<tagged_msg<std::size_t, T0, Ts...>> {
  using output = tagged_msg<std::size_t, T0, Ts...>;

 public:
  using tuple_types = std::tuple<T0, Ts...>;
  using input_ports_type = ::ashlar::flow::numbered_ports<::ashlar::flow::indexer_port, output, T0, Ts...>;

  explicit indexer_node(::ashlar::flow::position<indexer_node> where)
      : ::ashlar::flow::living_node(where.its_graph()),
        ::ashlar::flow::indexer_output<output>(where.core()),
        ports_(::ashlar::flow::tuple_of<input_ports_type>::made_of(*this)),
        life_(*this, where) {}
  indexer_node(indexer_node const& other) : indexer_node(other.my_graph) {}
  input_ports_type& input_ports() { return ports_; }

 private:
  void describe(::ashlar::flow::picture& to) override {
    to.kind("indexer_node");
    std::apply([&to](auto&... port) { (port.describe(to), ...); }, ports_);
    this->describe_output(to);
  }
  void reset_node(reset_flags f) override { this->reset_output(f); }
  life const& its_life() const noexcept override { return life_; }

  input_ports_type ports_;
  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, indexer_node)
}  // namespace flow
}  // namespace tbb
