// SPDX-License-Identifier: Apache-2.0
// tbb::flow::async_node. Users include <tbb/flow_graph.h>.
#pragma once

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
class async_node : public ::ashlar::flow::multifunction_input<async_node<Input, Output, Policy, Allocator>, Input,
                                                              Policy, receiver_gateway<Output>>,
                   public sender<Output>,
                   public ::ashlar::flow::output_ports_base<std::tuple<Output>> {
  using input = typename async_node::function_input;
  using ports = ::ashlar::flow::output_ports_base<std::tuple<Output>>;
  friend input;
  using position = ::ashlar::flow::position<async_node>;

 public:
  using successor_type = receiver<Output>;
  using gateway_type = receiver_gateway<Output>;

  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, gateway_type>)
  async_node(position where, std::size_t limit, Body body, Policy policy = Policy(),
             node_priority_t priority = no_priority)
      : input(where.its_graph(), limit, body, policy, priority),
        ports(where.its_graph()),
        gateway_(*this),
        life_(*this, where) {}
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, gateway_type>)
  async_node(position where, std::size_t limit, Body body, node_priority_t priority)
      : async_node(where, limit, body, Policy(), priority) {}
  // The body that the other one was constructed with, and none of its edges.
  async_node(async_node const& other)
      : input(other), sender<Output>(), ports(other), gateway_(*this), life_(*this, other) {}

  gateway_type& gateway() { return gateway_; }
  bool register_successor(successor_type& r) override { return port().register_successor(r); }
  bool remove_successor(successor_type& r) override { return port().remove_successor(r); }
#if ASHLAR_CLASSIC_DIALECT
  std::size_t successor_count() override { return port().successor_count(); }
  void copy_successors(typename sender<Output>::successor_list_type& to) override { port().copy_successors(to); }
#endif

 protected:
  void reset_node(reset_flags f) override {
    this->reset_input(f);
    this->reset_body(f);
    this->reset_ports(f);
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("async_node");
    this->describe_input(to);
    this->describe_ports(to);
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
  auto& port() noexcept { return std::get<0>(this->ports_); }
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE ::ashlar::sched::job* run_body(Input& v, ::ashlar::flow::passage p) {
    ::ashlar::flow::running_body const scope(p.token());
    this->body_.template call_for<Observed>(*this, v, gateway_);
    return nullptr;
  }
  using life = ::ashlar::flow::node_base::life;
  life const& its_life() const noexcept override { return life_; }

  node_gateway gateway_;
  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, async_node)
}  // namespace flow
}  // namespace tbb
