// SPDX-License-Identifier: Apache-2.0
// tbb::flow::overwrite_node and write_once_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/broadcast_node.h>
#include <ashlar/flow/node_set.h>

#include <optional>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

// Keeps the latest message and sends it to all successors; those that come later get it at once.
template <typename T>
class overwrite_node : public graph_node, public relay<T>, public node_output<T> {
  static_assert(std::is_copy_constructible_v<T>,
                "overwrite_node: messages must be copyable: the node keeps one "
                "and sends another");
  using guard = ::ashlar::flow::guard;

 public:
  using input_type = T;
  using output_type = T;
  using predecessor_type = sender<T>;
  using successor_type = receiver<T>;

  explicit overwrite_node(graph& g) : graph_node(g), relay<T>(g), node_output<T>(g.core()) {}
  template <typename Order, typename... Nodes>
  explicit overwrite_node(node_set<Order, Nodes...> const& nodes) : overwrite_node(nodes.graph_reference()) {
    make_edges_in_order(nodes, *this);
  }
  overwrite_node(overwrite_node const& other) : overwrite_node(other.my_graph) {}
  ~overwrite_node() override { this->let_activations_end(); }

  bool is_valid() {
    guard const held(lock_);
    return value_.has_value();
  }
  void clear() {
    guard const held(lock_);
    value_.reset();
  }
  // Shows the value, which stays.
  bool try_get(T& v) override {
    guard const held(lock_);
    if (value_) v = *value_;
    return value_.has_value();
  }
  bool try_get(T& v, message_metainfo&) override { return try_get(v); }
  bool try_reserve(T& v) override { return try_get(v); }
  bool try_reserve(T& v, message_metainfo&) override { return try_get(v); }
  bool try_release() override { return true; }
  bool try_consume() override { return true; }

  bool register_successor(receiver<T>& r) override {
    this->successors_.add(r, *this);
    if (std::optional<T> now = current()) {
      using ::ashlar::flow::passage;
      if (auto* const j = ::ashlar::flow::job_or_null(this->successors_.put(r, *now, passage::moved(), *this))) {
        graph_node::core().start(*j);
      }
    }
    return true;
  }
  ::ashlar::sched::job* receive(T& v, ::ashlar::flow::passage p) override {
    {
      guard const held(lock_);
      if (value_ && keeps_first_) return nullptr;
      value_.emplace(static_cast<T const&>(v));
    }
    return this->pass(v, p);
  }

 protected:
  struct first_only {};
  overwrite_node(graph& g, first_only) : overwrite_node(g) { keeps_first_ = true; }

 private:
  std::optional<T> current() {
    guard const held(lock_);
    return value_;
  }
  ::ashlar::sched::job* hand_on(T& v, ::ashlar::flow::passage p) final {
    ::ashlar::sched::job* const answer = this->broadcast(*this, v, p);
    if (ASHLAR_LIKELY(!this->successors_.has_pullers())) return answer;
    ::ashlar::flow::graph_core& g = graph_node::core();
    return ::ashlar::flow::keep_last(g, answer, this->successors_.announce());
  }
  void describe(::ashlar::flow::picture& to) override {
    to.kind(keeps_first_ ? "write_once_node" : "overwrite_node");
    this->describe_input(to);
    this->describe_output(to, ::ashlar::flow::picture::output_kind::keeps);
    ::ashlar::flow::lock::scoped_lock held;
    if (to.look(held, lock_)) to.say(value_ ? "it has a value" : "it has no value");
  }
  void reset_node(reset_flags f) override {
    clear();
    if ((f & rf_clear_edges) != 0) this->clear_successors();
  }

  bool keeps_first_ = false;
  ::ashlar::flow::lock lock_;
  std::optional<T> value_;
};

// Keeps the first message; refuses others until clear().
template <typename T>
class write_once_node : public overwrite_node<T> {
 public:
  explicit write_once_node(graph& g) : overwrite_node<T>(g, typename overwrite_node<T>::first_only()) {}
  template <typename Order, typename... Nodes>
  explicit write_once_node(node_set<Order, Nodes...> const& nodes) : write_once_node(nodes.graph_reference()) {
    make_edges_in_order(nodes, *this);
  }
  write_once_node(write_once_node const& other) : write_once_node(other.my_graph) {}
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, overwrite_node)
ASHLAR_FLOW_KNOWN_IN(11, write_once_node)
}  // namespace flow
}  // namespace tbb
