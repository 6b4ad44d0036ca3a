// SPDX-License-Identifier: Apache-2.0
// Deduction guides: the messages of a node follow from its body, or from the nodes that it follows or precedes. Users
// include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/nodes/buffer_node.h>
#include <ashlar/flow/nodes/continue_node.h>
#include <ashlar/flow/nodes/function_node.h>
#include <ashlar/flow/nodes/indexer_node.h>
#include <ashlar/flow/nodes/input_node.h>
#include <ashlar/flow/nodes/join_node.h>
#include <ashlar/flow/nodes/limiter_node.h>
#include <ashlar/flow/nodes/multifunction_node.h>
#include <ashlar/flow/nodes/overwrite_node.h>

ASHLAR_FLOW_PARTS

/// What a call with one argument takes and returns.
template <typename R, typename A>
struct call_signature {
  using input = std::decay_t<A>;
  using result = R;
  using output = std::conditional_t<std::is_void_v<R>, continue_msg, std::decay_t<R>>;
};
/// Of the call operator with one argument, which the program may have beside others.
template <typename R, typename C, typename A>
call_signature<R, A> find_call(R (C::*)(A));
template <typename R, typename C, typename A>
call_signature<R, A> find_call(R (C::*)(A) const);
template <typename R, typename C, typename A>
call_signature<R, A> find_call(R (C::*)(A) &);
template <typename R, typename C, typename A>
call_signature<R, A> find_call(R (C::*)(A) const&);

/// What a body takes and returns that has one way to be called with one argument, or a member of a message, which is a
/// key.
template <typename F, typename = void>
struct signature {};
template <typename F>
struct signature<F, std::void_t<decltype(find_call(&F::operator()))>> : decltype(find_call(&F::operator())){};
template <typename R, typename A>
struct signature<R (*)(A)> : call_signature<R, A> {};
template <typename R, typename A>
struct signature<R (*)(A) noexcept> : call_signature<R, A> {};
template <typename R, typename C>
call_signature<R, C> find_getter(R (C::*)());
template <typename R, typename C>
call_signature<R, C> find_getter(R (C::*)() const);
template <typename R, typename C>
call_signature<R, C> find_getter(R (C::*)() &);
template <typename R, typename C>
call_signature<R, C> find_getter(R (C::*)() const&);
template <typename F>
struct signature<F, std::enable_if_t<std::is_member_function_pointer_v<F>>> : decltype(find_getter(F())){};
template <typename R, typename C>
struct signature<R C::*, std::enable_if_t<!std::is_function_v<R>>> : call_signature<std::remove_cv_t<R>, C> {};

template <typename Body>
using body_input = typename signature<Body>::input;
template <typename Body>
using body_output = typename signature<Body>::output;

/// A policy, and not a number.
template <typename Policy>
using if_policy = std::enable_if_t<std::is_class_v<Policy>>;

/// The message between a node and the first of a set.
template <typename Set>
struct set_message;
template <typename Node, typename... Nodes>
struct set_message<node_set<order::following, Node, Nodes...>> {
  using type = typename Node::output_type;
};
template <typename Node, typename... Nodes>
struct set_message<node_set<order::preceding, Node, Nodes...>> {
  using type = typename Node::input_type;
};
template <typename Order, typename... Nodes>
using message_of = typename set_message<node_set<Order, Nodes...>>::type;

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

template <typename Order, typename... Nodes>
broadcast_node(::ashlar::flow::node_set<Order, Nodes...> const&)
    -> broadcast_node<::ashlar::flow::message_of<Order, Nodes...>>;
template <typename Order, typename... Nodes>
buffer_node(::ashlar::flow::node_set<Order, Nodes...> const&)
    -> buffer_node<::ashlar::flow::message_of<Order, Nodes...>>;
template <typename Order, typename... Nodes>
queue_node(::ashlar::flow::node_set<Order, Nodes...> const&) -> queue_node<::ashlar::flow::message_of<Order, Nodes...>>;
template <typename Order, typename... Nodes>
overwrite_node(::ashlar::flow::node_set<Order, Nodes...> const&)
    -> overwrite_node<::ashlar::flow::message_of<Order, Nodes...>>;
template <typename Order, typename... Nodes>
write_once_node(::ashlar::flow::node_set<Order, Nodes...> const&)
    -> write_once_node<::ashlar::flow::message_of<Order, Nodes...>>;
template <typename Order, typename... Nodes>
priority_queue_node(::ashlar::flow::node_set<Order, Nodes...> const&)
    -> priority_queue_node<::ashlar::flow::message_of<Order, Nodes...>>;
template <typename Order, typename... Nodes, typename Compare>
priority_queue_node(::ashlar::flow::node_set<Order, Nodes...> const&, Compare const&)
    -> priority_queue_node<::ashlar::flow::message_of<Order, Nodes...>, Compare>;
template <typename Order, typename... Nodes>
limiter_node(::ashlar::flow::node_set<Order, Nodes...> const&, std::size_t)
    -> limiter_node<::ashlar::flow::message_of<Order, Nodes...>>;

template <typename GraphOrSet, typename Body>
input_node(GraphOrSet&&, Body) -> input_node<::ashlar::flow::body_output<Body>>;
template <typename GraphOrSet, typename Sequencer>
sequencer_node(GraphOrSet&&, Sequencer) -> sequencer_node<::ashlar::flow::body_input<Sequencer>>;

template <typename GraphOrSet, typename Body, typename Policy, typename = ::ashlar::flow::if_policy<Policy>>
function_node(GraphOrSet&&, std::size_t, Body, Policy, node_priority_t = no_priority)
    -> function_node<::ashlar::flow::body_input<Body>, ::ashlar::flow::body_output<Body>, Policy>;
template <typename GraphOrSet, typename Body>
function_node(GraphOrSet&&, std::size_t, Body, node_priority_t = no_priority)
    -> function_node<::ashlar::flow::body_input<Body>, ::ashlar::flow::body_output<Body>>;

template <typename GraphOrSet, typename Body, typename Policy, typename = ::ashlar::flow::if_policy<Policy>>
continue_node(GraphOrSet&&, Body, Policy, node_priority_t = no_priority)
    -> continue_node<::ashlar::flow::body_output<Body>, Policy>;
template <typename GraphOrSet, typename Body>
continue_node(GraphOrSet&&, Body, node_priority_t = no_priority) -> continue_node<::ashlar::flow::body_output<Body>>;
template <typename GraphOrSet, typename Body, typename Policy, typename = ::ashlar::flow::if_policy<Policy>>
continue_node(GraphOrSet&&, int, Body, Policy, node_priority_t = no_priority)
    -> continue_node<::ashlar::flow::body_output<Body>, Policy>;
template <typename GraphOrSet, typename Body>
continue_node(GraphOrSet&&, int, Body, node_priority_t = no_priority)
    -> continue_node<::ashlar::flow::body_output<Body>>;

template <typename... Nodes, typename Policy, typename = ::ashlar::flow::if_policy<Policy>>
join_node(::ashlar::flow::node_set<::ashlar::flow::order::following, Nodes...> const&, Policy)
    -> join_node<std::tuple<typename Nodes::output_type...>, Policy>;
template <typename Node, typename... Nodes, typename Policy, typename = ::ashlar::flow::if_policy<Policy>>
join_node(::ashlar::flow::node_set<::ashlar::flow::order::preceding, Node, Nodes...> const&, Policy)
    -> join_node<typename Node::input_type, Policy>;
template <typename... Nodes>
join_node(::ashlar::flow::node_set<::ashlar::flow::order::following, Nodes...> const&)
    -> join_node<std::tuple<typename Nodes::output_type...>>;
template <typename Node, typename... Nodes>
join_node(::ashlar::flow::node_set<::ashlar::flow::order::preceding, Node, Nodes...> const&)
    -> join_node<typename Node::input_type>;
template <typename GraphOrSet, typename Body, typename... Bodies>
join_node(GraphOrSet&&, Body, Bodies...)
    -> join_node<std::tuple<::ashlar::flow::body_input<Body>, ::ashlar::flow::body_input<Bodies>...>,
                 key_matching<typename ::ashlar::flow::signature<Body>::result>>;

template <typename... Nodes>
indexer_node(::ashlar::flow::node_set<::ashlar::flow::order::following, Nodes...> const&)
    -> indexer_node<typename Nodes::output_type...>;
template <typename Node, typename... Nodes>
split_node(::ashlar::flow::node_set<::ashlar::flow::order::following, Node, Nodes...> const&)
    -> split_node<typename Node::output_type>;
template <typename... Nodes>
split_node(::ashlar::flow::node_set<::ashlar::flow::order::preceding, Nodes...> const&)
    -> split_node<std::tuple<typename Nodes::input_type...>>;

ASHLAR_FLOW_HOME_END
}  // namespace flow
}  // namespace tbb
