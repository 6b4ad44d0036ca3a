// SPDX-License-Identifier: Apache-2.0
// tbb::flow::join_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/edges/ports.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/stores/join_stores.h>
#include <ashlar/flow/stores/outlet.h>
#include <ashlar/flow/stores/reserving_join.h>

ASHLAR_FLOW_PARTS

template <typename T, typename = void>
inline constexpr bool has_key = false;
template <typename T>
inline constexpr bool has_key<T, std::void_t<decltype(std::declval<T const&>().key())>> = true;

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {

/// The key of a message for a key matching join that was given no functions. Programs may have an overload of their own
/// for their message's type.
template <typename Key, typename T>
Key key_from_message(T const& v) {
  if constexpr (ashlar::flow::has_key<T>) {
    return v.key();
  } else {
    static_assert(ashlar::flow::has_key<T>,
                  "join_node with key_matching: pass the constructor one function for each port that returns a "
                  "message's key, or give the message a member function key()");
  }
}

}  // namespace flow
}  // namespace tbb

ASHLAR_FLOW_PARTS

template <typename T, std::size_t Index, typename Join>
class join_port : public node_receiver<T> {
 public:
  using predecessor_type = sender<T>;
  explicit join_port(Join& j) noexcept : join_(&j) {}
  join_port(join_port const&) = delete;
  // A message that is waited for has a function of its own, so that others need no register for what that calls.
  job* receive(T& v, passage p) final {
    if (ASHLAR_UNLIKELY(p.token() != nullptr)) return receive_waited_for(v, p);
    return join_->template put_into_port<Index>(v, p);
  }
  bool may_pull() const noexcept final { return false; }
  void describe(picture& to) { to.input(static_cast<receiver<T>*>(this), picture::input_kind::takes_all); }

 private:
  ASHLAR_NOINLINE job* receive_waited_for(T& v, passage p) { return join_->template put_into_port<Index>(v, p); }
  graph& graph_reference() const override { return join_->its_graph(); }
  Join* const join_;
};

/// A join that keeps its messages in a store.
template <typename Tuple, typename Store>
class storing_join;
template <typename... Ts, typename Store>
class storing_join<std::tuple<Ts...>, Store> : public living_node, public outlet<std::tuple<Ts...>, Store, true> {
  using base = outlet<std::tuple<Ts...>, Store, true>;

 public:
  using input_ports_type = numbered_ports<join_port, storing_join, Ts...>;

  input_ports_type& input_ports() { return ports_; }
  graph& its_graph() const noexcept { return my_graph; }

  /// For the ports.
  template <std::size_t At, typename T>
  ASHLAR_ALWAYS_INLINE job* put_into_port(T& v, passage p) {
    if (ASHLAR_UNLIKELY(base::core().refuses())) return nullptr;
    bool ready;
    {
      guard const held(this->lock_);
      if (!this->store_.template add<At>(v, this->to_keep(p))) return nullptr;
      this->again_ = true;
      ready = this->store_.ready();
    }
    job* const j = ready ? this->pump_for(p.token()) : nullptr;
    return j != nullptr ? j : accepted();
  }

 protected:
  template <typename... Args>
  explicit storing_join(graph& g, Args&&... args)
      : living_node(g),
        base(g.core(), std::forward<Args>(args)...),
        ports_(tuple_of<input_ports_type>::made_of(*this)) {}

 private:
  void reset_node(reset_flags f) override { this->reset_outlet(f); }
  void settle() override { this->settle_and_forget(); }
  void forget_tokens() final { this->forget_kept(); }
  void describe(picture& to) override {
    to.kind("join_node");
    std::apply([&to](auto&... port) { (port.describe(to), ...); }, ports_);
    this->describe_outlet(to);
  }

  input_ports_type ports_;
};

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Makes tuples of one message of each port and sends them to all successors.
/// queueing: the oldest message of each port. reserving: messages stay with the predecessors until there is one for
/// each port and a successor takes the tuple. key_matching: messages with equal keys; a port refuses a key that it has
/// already.
template <typename Tuple, typename Policy = queueing>
class join_node;

template <typename... Ts>
class join_node<std::tuple<Ts...>, queueing>
    : public ::ashlar::flow::storing_join<std::tuple<Ts...>, ::ashlar::flow::queueing_store<Ts...>> {
 public:
  explicit join_node(::ashlar::flow::position<join_node> where, queueing = queueing())
      : join_node::storing_join(where.its_graph()), life_(*this, where) {}
  join_node(join_node const& other) : join_node(other.my_graph) {}

 private:
  using life = ::ashlar::flow::node_base::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

template <typename... Ts>
class join_node<std::tuple<Ts...>, reserving> : public ::ashlar::flow::reserving_join<std::tuple<Ts...>> {
 public:
  explicit join_node(::ashlar::flow::position<join_node> where, reserving = reserving())
      : join_node::reserving_join(where.its_graph()), life_(*this, where) {}
  join_node(join_node const& other) : join_node(other.my_graph) {}

 private:
  using life = ::ashlar::flow::node_base::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

template <typename... Ts, typename Key, typename HashCompare>
class join_node<std::tuple<Ts...>, key_matching<Key, HashCompare>>
    : public ::ashlar::flow::storing_join<std::tuple<Ts...>,
                                          ::ashlar::flow::key_store<std::decay_t<Key>, HashCompare, Ts...>> {
  using key = std::decay_t<Key>;
  using position = ::ashlar::flow::position<join_node>;
  template <typename T>
  struct from_message {
    key operator()(T const& v) const { return key_from_message<key>(v); }
  };

 public:
  /// The keys are those that key_from_message<Key>(message) or message.key() returns.
  explicit join_node(position where)
      : join_node::storing_join(where.its_graph(), from_message<Ts>()...), life_(*this, where) {
    (static_cast<void>(&from_message<Ts>::operator()), ...);  // so that the compiler comes from here to a missing key
  }
  /// A function for each port.
  template <typename... Bodies, typename = std::enable_if_t<sizeof...(Bodies) == sizeof...(Ts)>>
  ASHLAR_REQUIRES(std::is_invocable_r_v<key, Bodies&, Ts const&>&&...)
  join_node(position where, Bodies... bodies)
      : join_node::storing_join(where.its_graph(), bodies...), life_(*this, where) {}
  join_node(join_node const& other) : join_node::storing_join(other.my_graph, other.store_), life_(*this, other) {}

 private:
  using life = ::ashlar::flow::node_base::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, join_node)
}  // namespace flow
}  // namespace tbb
