// SPDX-License-Identifier: Apache-2.0
// tbb::flow::composite_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/ports.h>

#include <optional>

ASHLAR_FLOW_PARTS

/// What all have in common. Nodes that are added are visible in tools only; there is nothing to do for them.
class composite_base : public graph_node {
 public:
  composite_base(graph& g) : graph_node(g) {}  // NOLINT: implicit, as in TBB
#if ASHLAR_CLASSIC_DIALECT && defined(TBB_PREVIEW_FLOW_GRAPH_TRACE)
  composite_base(graph& g, char const* name) : graph_node(g) { set_name(name); }
#endif
  template <typename... Nodes>
  void add_visible_nodes(Nodes const&...) {}
  template <typename... Nodes>
  void add_nodes(Nodes const&...) {}

 protected:
  void reset_node(reset_flags) override {}
  void describe(picture& to) override { to.kind("composite_node"); }
};

/// The references to one side's ports.
template <typename Ports>
class external_ports {
 public:
  void set(Ports const& p) noexcept { ports_.emplace(p); }
  Ports& get() noexcept {
    ASHLAR_ASSERT(ports_.has_value(), "composite_node: the ports are used before set_external_ports");
    return *ports_;
  }

 private:
  std::optional<Ports> ports_;
};

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// A node that consists of others: its ports are theirs, and it has no work of its own. The tuples that
/// set_external_ports takes hold references; the nodes must live as long as the composite one is used.
template <typename Inputs, typename Outputs>
class composite_node;

template <typename... Ins, typename... Outs>
class composite_node<std::tuple<Ins...>, std::tuple<Outs...>> : public ::ashlar::flow::composite_base {
 public:
  using input_ports_type = std::tuple<receiver<Ins>&...>;
  using output_ports_type = std::tuple<sender<Outs>&...>;
  static constexpr std::size_t NUM_INPUTS = sizeof...(Ins);
  static constexpr std::size_t NUM_OUTPUTS = sizeof...(Outs);

  using ::ashlar::flow::composite_base::composite_base;
  void set_external_ports(input_ports_type const& in, output_ports_type const& out) noexcept {
    in_.set(in);
    out_.set(out);
  }
  input_ports_type& input_ports() noexcept { return in_.get(); }
  output_ports_type& output_ports() noexcept { return out_.get(); }

 private:
  ::ashlar::flow::external_ports<input_ports_type> in_;
  ::ashlar::flow::external_ports<output_ports_type> out_;
};

template <typename... Ins>
class composite_node<std::tuple<Ins...>, std::tuple<>> : public ::ashlar::flow::composite_base {
 public:
  using input_ports_type = std::tuple<receiver<Ins>&...>;
  static constexpr std::size_t NUM_INPUTS = sizeof...(Ins);

  using ::ashlar::flow::composite_base::composite_base;
  void set_external_ports(input_ports_type const& in) noexcept { in_.set(in); }
  input_ports_type& input_ports() noexcept { return in_.get(); }

 private:
  ::ashlar::flow::external_ports<input_ports_type> in_;
};

template <typename... Outs>
class composite_node<std::tuple<>, std::tuple<Outs...>> : public ::ashlar::flow::composite_base {
 public:
  using output_ports_type = std::tuple<sender<Outs>&...>;
  static constexpr std::size_t NUM_OUTPUTS = sizeof...(Outs);

  using ::ashlar::flow::composite_base::composite_base;
  void set_external_ports(output_ports_type const& out) noexcept { out_.set(out); }
  output_ports_type& output_ports() noexcept { return out_.get(); }

 private:
  ::ashlar::flow::external_ports<output_ports_type> out_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, composite_node)
}  // namespace flow
}  // namespace tbb
