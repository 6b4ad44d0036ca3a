// SPDX-License-Identifier: Apache-2.0
// tbb::flow::multifunction_node and split_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/edges/ports.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/work/function_body.h>
#include <ashlar/flow/work/function_input.h>
#include <ashlar/flow/work/relay.h>

namespace ashlar {
inline namespace v1 {
namespace flow {

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

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Calls a body with each message and with its output ports, into which the body puts any number of messages.
/// Limits, policies, lightweight and priorities are function_node's.
template <typename Input, typename Output, typename Policy = queueing,
          typename Allocator = cache_aligned_allocator<Input>>
class multifunction_node : public function_input<Input>, public living_node {
  using traits = ::ashlar::flow::policy_traits<Policy>;

 public:
  using input_type = Input;
  using output_type = continue_msg;
  using predecessor_type = sender<Input>;
  using output_ports_type = typename output_tuple<Output>::type;

 private:
  using adapter = ::ashlar::flow::multifunction_adapter<Input, output_ports_type>;

 public:
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, output_ports_type>)
  multifunction_node(graph& g, std::size_t limit, Body body, Policy policy = Policy(),
                     node_priority_t priority = no_priority)
      : function_input<Input>(g, limit, traits::template room<Input>(policy), priority,
                              function_input<Input>::template run_node<multifunction_node>),
        living_node(g),
        ports_(output_tuple<Output>::make(g)),
        body_(adapter(), body) {
    this->set_lightweight(traits::lightweight &&
                          ::ashlar::flow::may_be_lightweight<adapter, Body, ASHLAR_CLASSIC_DIALECT>);
  }
  template <typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, output_ports_type>)
  multifunction_node(graph& g, std::size_t limit, Body body, node_priority_t priority)
      : multifunction_node(g, limit, body, Policy(), priority) {}
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, output_ports_type>)
  multifunction_node(node_set<Order, Nodes...> const& nodes, std::size_t limit, Body body, Policy policy = Policy(),
                     node_priority_t priority = no_priority)
      : multifunction_node(nodes.graph_reference(), limit, body, policy, priority) {
    make_edges_in_order(nodes, *this);
  }
  template <typename Order, typename... Nodes, typename Body>
  ASHLAR_REQUIRES(::ashlar::flow::is_multifunction_body<Body, Input, output_ports_type>)
  multifunction_node(node_set<Order, Nodes...> const& nodes, std::size_t limit, Body body, node_priority_t priority)
      : multifunction_node(nodes, limit, body, Policy(), priority) {}
  multifunction_node(multifunction_node const& other)
      : function_input<Input>(other.my_graph, other.limit(), other.room(), other.priority(),
                              function_input<Input>::template run_node<multifunction_node>),
        living_node(other.my_graph),
        ports_(output_tuple<Output>::make(other.my_graph)),
        body_(other.body_) {
    this->set_lightweight(other.is_lightweight());
  }

  ::ashlar::sched::job* receive(Input& v, ::ashlar::flow::passage p) final {
    return this->template take<multifunction_node, traits::lightweight>(v, p);
  }

  output_ports_type& output_ports() { return ports_; }
  template <typename Body>
  Body copy_function_object() const {
    return body_.template copy<Body>();
  }

 protected:
  void reset_node(reset_flags f) override {
    this->reset_input(f);
    if ((f & rf_reset_bodies) != 0) body_.reset();
    if ((f & rf_clear_edges) != 0) {
      std::apply([](auto&... port) { (port.clear(), ...); }, ports_);
    }
  }
  void settle() override { this->settle_input(); }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("multifunction_node");
    this->describe_input(to);
    std::apply([&to](auto&... port) { (port.describe(to), ...); }, ports_);
  }

 private:
  template <typename>
  friend class function_input;
  static constexpr bool names_itself = true;
  template <bool Observed>
  ASHLAR_ALWAYS_INLINE ::ashlar::sched::job* run_body(Input& v, ::ashlar::flow::passage p) {
    ::ashlar::flow::running_body const scope(static_cast<function_input<Input>*>(this), p.token());
    body_.template call_for<Observed>(*this, v, ports_);
    return nullptr;
  }
  life const& its_life() const noexcept override { return life_; }

  output_ports_type ports_;
  ::ashlar::flow::body_box<void(Input&, output_ports_type&)> body_;
  life const life_{*this};
};

/// Sends each element of a tuple to the successors of its port.
template <typename Tuple, typename Allocator = cache_aligned_allocator<Tuple>>
class split_node : public living_node, public relay<Tuple> {
 public:
  using input_type = Tuple;
  using predecessor_type = sender<Tuple>;
  using output_ports_type = typename output_tuple<Tuple>::type;

  explicit split_node(graph& g) : living_node(g), relay<Tuple>(g), ports_(output_tuple<Tuple>::make(g)) {}
  template <typename Order, typename... Nodes>
  explicit split_node(node_set<Order, Nodes...> const& nodes) : split_node(nodes.graph_reference()) {
    make_edges_in_order(nodes, *this);
  }
  split_node(split_node const& other) : split_node(other.my_graph) {}
  output_ports_type& output_ports() { return ports_; }

 private:
  using job = ::ashlar::sched::job;
  using passage = ::ashlar::flow::passage;

  job* hand_on(Tuple& v, passage p) final {
    return hand_on_each(v, p, std::make_index_sequence<std::tuple_size_v<Tuple>>());
  }
  template <std::size_t... At>
  job* hand_on_each(Tuple& v, passage p, std::index_sequence<At...>) {
    ::ashlar::flow::graph_core& g = graph_node::core();
    job* last = nullptr;
    ASHLAR_TRY { ((last = ::ashlar::flow::keep_last(g, last, std::get<At>(ports_).hand_on(std::get<At>(v), p))), ...); }
    ASHLAR_CATCH_ALL {
      // What one has taken runs.
      if (job* const j = ::ashlar::flow::job_or_null(last)) g.start(*j);
      ASHLAR_RETHROW;
    }
    return last;
  }
  void reset_node(reset_flags f) override {
    if ((f & rf_clear_edges) != 0) {
      std::apply([](auto&... port) { (port.clear(), ...); }, ports_);
    }
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind("split_node");
    this->describe_input(to);
    std::apply([&to](auto&... port) { (port.describe(to), ...); }, ports_);
  }
  life const& its_life() const noexcept override { return life_; }

  output_ports_type ports_;
  life const life_{*this};
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, multifunction_node)
ASHLAR_FLOW_KNOWN_IN(11, split_node)
}  // namespace flow
}  // namespace tbb
