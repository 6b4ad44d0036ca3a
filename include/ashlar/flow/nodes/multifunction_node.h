// SPDX-License-Identifier: Apache-2.0
// tbb::flow::multifunction_node and split_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/edges/ports.h>
#include <ashlar/flow/work/function_input.h>
#include <ashlar/flow/work/relay.h>

ASHLAR_FLOW_PARTS

/// A body of ours, which calls one of the program's, may have a rule of its own.
template <typename F, typename Input, typename Ports>
inline constexpr bool body_never_throws = std::is_nothrow_invocable_v<F&, Input const&, Ports&>;

/// Calls a body that puts into ports.
template <typename Input, typename Ports>
struct multifunction_adapter {
  template <typename F>
  static void call(F& f, Input& v, Ports& ports) {
    if constexpr (takes_const<F, Input, Ports&>) {
      ::ashlar::invoke(f, static_cast<Input const&>(v), ports);
    } else {
      static_assert(std::is_invocable_v<F&, Input&&, Ports&>,
                    "the body of the node must be callable with an Input "
                    "const& (or an rvalue) and its ports");
      ::ashlar::invoke(f, std::move(v), ports);
    }
  }
  template <typename F>
  static constexpr bool takes_any = takes_const<F, Input, Ports&>;
  template <typename F>
  static constexpr bool never_throws = body_never_throws<F, Input, Ports>;
};
template <typename Body, typename Input, typename Ports>
inline constexpr bool is_multifunction_body =
    takes_const<Body, Input, Ports&> || std::is_invocable_v<Body&, Input&&, Ports&>;

template <typename Node, typename Input, typename Policy, typename Ports>
using multifunction_input =
    function_input<Node, Input, Policy, multifunction_adapter<Input, Ports>, void(Input&, Ports&)>;

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Calls a body with each message and with its output ports, into which the body puts any number of messages.
/// Limits, policies, lightweight and priorities are function_node's.
template <typename Input, typename Output, typename Policy = queueing,
          typename Allocator = cache_aligned_allocator<Input>>
class multifunction_node
    : public ::ashlar::flow::multifunction_input<multifunction_node<Input, Output, Policy, Allocator>, Input, Policy,
                                                 typename ::ashlar::flow::output_ports_base<Output>::output_ports_type>,
      public ::ashlar::flow::output_ports_base<Output> {
  using input = typename multifunction_node::function_input;
  using ports = ::ashlar::flow::output_ports_base<Output>;
  friend input;
  using position = ::ashlar::flow::position<multifunction_node>;
  using own_ports = typename ports::output_ports_type;

 public:
  using output_type = continue_msg;

  template <typename Body>
  ASHLAR_REQUIRES((::ashlar::flow::is_multifunction_body<Body, Input, own_ports>))
  multifunction_node(position where, std::size_t limit, Body body, Policy policy = Policy(),
                     node_priority_t priority = no_priority)
      : input(where.its_graph(), limit, body, policy, priority), ports(where.its_graph()), life_(*this, where) {
    static_assert(::ashlar::flow::is_multifunction_body<Body, Input, own_ports>,
                  "multifunction_node: the body must be callable as body(Input const&, output_ports_type&)");
  }
#if ASHLAR_CONSTRAINED
  // clang-format off
  template <typename Body>
  multifunction_node(position, std::size_t, Body, Policy = Policy(), node_priority_t = no_priority) = delete;  // needs a limit, and body(Input const&, output_ports_type&)
  // clang-format on
#endif
  template <typename Body>
  ASHLAR_REQUIRES((::ashlar::flow::is_multifunction_body<Body, Input, own_ports>))
  multifunction_node(position where, std::size_t limit, Body body, node_priority_t priority)
      : multifunction_node(where, limit, body, Policy(), priority) {}
  multifunction_node(multifunction_node const& other) : input(other), ports(other), life_(*this, other) {}

 protected:
  using typename ::ashlar::flow::node_base::part;
  template <typename Body>
  multifunction_node(part p, graph& g, std::size_t limit, Body const& body, Policy const& policy,
                     node_priority_t priority)
      : input(g, limit, body, policy, priority), ports(g), life_(p) {}
  multifunction_node(part p, multifunction_node const& other) : input(other), ports(other), life_(p) {}

  void reset_node(reset_flags f) override {
    this->reset_input(f);
    this->reset_body(f);
    this->reset_ports(f);
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("multifunction_node");
    this->describe_input(to);
    this->describe_ports(to);
  }
  using life = ::ashlar::flow::node_base::life;

 private:
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE ::ashlar::sched::job* run_body(Input& v, ::ashlar::flow::passage p) {
    ::ashlar::flow::running_body const scope(p.token());
    this->body_.template call_for<Observed>(*this, v, this->ports_);
    return nullptr;
  }
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

/// Sends each element of a tuple to the successors of its port. The last port's go first into the tasks that wait, so
/// that one thread takes port 0's first.
template <typename Tuple, typename Allocator = cache_aligned_allocator<Tuple>>
class split_node : public ::ashlar::flow::living_node,
                   public ::ashlar::flow::relay<Tuple>,
                   public ::ashlar::flow::output_ports_base<Tuple> {
  using job = ::ashlar::sched::job;
  using passage = ::ashlar::flow::passage;
  static constexpr std::size_t ports = std::tuple_size_v<Tuple>;

 public:
  explicit split_node(::ashlar::flow::position<split_node> where)
      : ::ashlar::flow::living_node(where.its_graph()),
        ::ashlar::flow::relay<Tuple>(where.its_graph()),
        ::ashlar::flow::output_ports_base<Tuple>(where.its_graph()),
        life_(*this, where) {}
  split_node(split_node const& other) : split_node(other.my_graph) {}

 private:
  job* hand_on(Tuple& v, passage p) final { return hand_on_each(v, p, std::make_index_sequence<ports>()); }
  template <std::size_t... At>
  job* hand_on_each(Tuple& v, passage p, std::index_sequence<At...>) {
    ::ashlar::flow::graph_core& g = graph_node::core();
    job* last = nullptr;
    ((last = ::ashlar::flow::keep_last_of(g, last, [&] { return hand_on_one<ports - 1 - At>(v, p); })), ...);
    return last;
  }
  template <std::size_t At>
  job* hand_on_one(Tuple& v, passage p) {
    return std::get<At>(this->ports_).hand_on(std::get<At>(v), p);
  }
  void reset_node(reset_flags f) override { this->reset_ports(f); }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("split_node");
    this->describe_input(to);
    this->describe_ports(to);
  }
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, multifunction_node)
ASHLAR_FLOW_KNOWN_IN(11, split_node)
}  // namespace flow
}  // namespace tbb
