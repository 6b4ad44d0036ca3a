// SPDX-License-Identifier: Apache-2.0
// tbb::flow::async_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/nodes/multifunction_node.h>

#include <utility>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Calls a body with each message and with a gateway, by which any thread puts results, during the call or later. A
/// body that leaves the work to somebody else calls the gateway's reserve_wait(), and that one release_wait() after the
/// last put. Limits, policies, lightweight and priorities are function_node's, but lightweight is the default.
template <typename Input, typename Output, typename Policy = queueing_lightweight,
          typename Allocator = cache_aligned_allocator<Input>>
class async_node : public function_input<Input>, public living_node, public sender<Output> {
  using traits = ::ashlar::flow::policy_traits<Policy>;

 public:
  using input_type = Input;
  using output_type = Output;
  using predecessor_type = sender<Input>;
  using successor_type = receiver<Output>;
  using gateway_type = receiver_gateway<Output>;
  using output_ports_type = std::tuple<multifunction_output<Output>>;

 private:
  using adapter = ::ashlar::flow::multifunction_adapter<Input, gateway_type>;

 public:
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, gateway_type>)
  async_node(graph& g, std::size_t limit, Body body, Policy policy = Policy(), node_priority_t priority = no_priority)
      : function_input<Input>(g, limit, traits::template room<Input>(policy), priority,
                              function_input<Input>::template run_node<async_node>),
        living_node(g),
        ports_(g),
        body_(adapter(), body),
        gateway_(*this) {
    this->set_lightweight(traits::lightweight &&
                          ::ashlar::flow::may_be_lightweight<adapter, Body, ASHLAR_CLASSIC_DIALECT>);
  }
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, gateway_type>)
  async_node(graph& g, std::size_t limit, Body body, node_priority_t priority)
      : async_node(g, limit, body, Policy(), priority) {}
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, gateway_type>)
  async_node(node_set<Order, Nodes...> const& nodes, std::size_t limit, Body body, Policy policy = Policy(),
             node_priority_t priority = no_priority)
      : async_node(nodes.graph_reference(), limit, body, policy, priority) {
    make_edges_in_order(nodes, *this);
  }
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, gateway_type>)
  async_node(node_set<Order, Nodes...> const& nodes, std::size_t limit, Body body, node_priority_t priority)
      : async_node(nodes, limit, body, Policy(), priority) {}
  // The body that the other one was constructed with, and none of its edges.
  async_node(async_node const& other)
      : function_input<Input>(other.my_graph, other.limit(), other.room(), other.priority(),
                              function_input<Input>::template run_node<async_node>),
        living_node(other.my_graph),
        ports_(other.my_graph),
        body_(other.body_),
        gateway_(*this) {
    this->set_lightweight(other.is_lightweight());
  }

  ::ashlar::sched::job* receive(Input& v, ::ashlar::flow::passage p) final {
    return this->template take<async_node, traits::lightweight>(v, p);
  }

  gateway_type& gateway() { return gateway_; }
  output_ports_type& output_ports() { return ports_; }
  bool register_successor(successor_type& r) override { return port().register_successor(r); }
  bool remove_successor(successor_type& r) override { return port().remove_successor(r); }
#if ASHLAR_CLASSIC_DIALECT
  std::size_t successor_count() override { return port().successor_count(); }
  void copy_successors(typename sender<Output>::successor_list_type& to) override { port().copy_successors(to); }
#endif
  template <typename Body>
  Body copy_function_object() const {
    return body_.template copy<Body>();
  }

 protected:
  void reset_node(reset_flags f) override {
    this->reset_input(f);
    if ((f & rf_reset_bodies) != 0) body_.reset();
    if ((f & rf_clear_edges) != 0) port().clear();
  }
  void settle() override { this->settle_input(); }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("async_node");
    this->describe_input(to);
    port().describe(to);
  }

 private:
  class node_gateway final : public gateway_type {
   public:
    explicit node_gateway(async_node& n) noexcept : node_(&n) {}
    bool try_put(Output const& v) override { return node_->port().try_put(v); }
    bool try_put(Output&& v) override { return node_->port().try_put(std::move(v)); }
    void reserve_wait() override { node_->my_graph.reserve_wait(); }
    void release_wait() override { node_->my_graph.release_wait(); }

   private:
    async_node* const node_;
  };
  multifunction_output<Output>& port() noexcept { return std::get<0>(ports_); }
  template <typename>
  friend class function_input;
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE ::ashlar::sched::job* run_body(Input& v, ::ashlar::flow::passage p) {
    ::ashlar::flow::running_body const scope(p.token());
    body_.template call_for<Observed>(*this, v, gateway_);
    return nullptr;
  }
  life const& its_life() const noexcept override { return life_; }

  output_ports_type ports_;
  ::ashlar::flow::body_box<void(Input&, gateway_type&)> body_;
  node_gateway gateway_;
  life const life_{*this};
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, async_node)
}  // namespace flow
}  // namespace tbb
