// SPDX-License-Identifier: Apache-2.0
// tbb::flow::switch_node: a branch, and with an edge back a loop. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/nodes/multifunction_node.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace flow {

template <typename T, typename Indexes>
struct equal_messages;
template <typename T, std::size_t... At>
struct equal_messages<T, std::index_sequence<At...>> {
  template <std::size_t>
  using one = T;
  using type = std::tuple<one<At>...>;
};

/// Puts each message into the port that the user's function names. Copies: the message may be the sender's, as in a
/// lightweight node.
template <typename T, typename Choice, typename Ports, bool Copies>
class port_chooser {
  using message = std::conditional_t<Copies, T const&, T&&>;

 public:
  explicit port_chooser(Choice const& c) : choice_(c) {}
  void operator()(message v, Ports& ports) {
    auto const chosen = static_cast<std::size_t>(::ashlar::invoke(choice_, static_cast<T const&>(v)));
    put(static_cast<message>(v), ports, chosen, std::make_index_sequence<std::tuple_size_v<Ports>>());
  }

 private:
  template <std::size_t... At>
  static void put(message v, Ports& ports, std::size_t chosen, std::index_sequence<At...>) {
    ((At == chosen && std::get<At>(ports).try_put(static_cast<message>(v))), ...);
  }
  Choice choice_;
};
/// What successors throw is no matter of the node.
template <typename T, typename Choice, typename Ports, bool Copies>
inline constexpr bool body_never_throws<port_chooser<T, Choice, Ports, Copies>, T, Ports> =
    std::is_nothrow_invocable_v<Choice&, T const&>;

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Ashlar's own: sends each message, unchanged, to the successors of the port whose number the function returns for it;
/// a message with another number ends here. An edge from a port back to an earlier node makes a loop, which
/// wait_for_all waits for as for all work: no count of rounds, no reserve_wait. Limits, policies and priorities are
/// function_node's.
template <typename T, std::size_t Ports = 2, typename Policy = queueing>
class switch_node
    : public multifunction_node<T, typename ::ashlar::flow::equal_messages<T, std::make_index_sequence<Ports>>::type,
                                Policy> {
  using base = typename switch_node::multifunction_node;
  using typename base::life;
  using typename base::part;
  static constexpr bool copies = ::ashlar::flow::policy_traits<Policy>::lightweight && std::is_copy_constructible_v<T>;
  template <typename Choice>
  using chooser = ::ashlar::flow::port_chooser<T, Choice, typename base::output_ports_type, copies>;

 public:
  template <typename Choice>
  ASHLAR_REQUIRES(std::is_invocable_r_v<std::size_t, Choice&, T const&>)
  switch_node(graph& g, std::size_t limit, Choice choice, Policy policy = Policy(),
              node_priority_t priority = no_priority)
      : base(part(), g, limit, chooser<Choice>(choice), policy, priority), life_(*this, g.core()) {}
  switch_node(switch_node const& other) : base(part(), other), life_(*this, other) {}

 private:
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, switch_node)
}  // namespace flow
}  // namespace tbb
