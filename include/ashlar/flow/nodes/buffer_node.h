// SPDX-License-Identifier: Apache-2.0
// tbb::flow::buffer_node, queue_node, priority_queue_node and sequencer_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/stores/outlet.h>
#include <ashlar/flow/stores/stores.h>

ASHLAR_FLOW_PARTS

/// A node that keeps messages until one of its successors takes them: each message goes to one. Successors may reserve
/// one.
template <typename T, typename Store>
class buffering_node : public living_node, public node_receiver<T>, public outlet<T, Store, false> {
  using base = outlet<T, Store, false>;

 public:
  // A message that is waited for has a function of its own, so that others need no register for what that calls.
  job* receive(T& v, passage p) final {
    if (ASHLAR_UNLIKELY(base::core().refuses())) return nullptr;
    return ASHLAR_LIKELY(p.token() == nullptr) ? keep(v, p) : keep_waited_for(v, p);
  }
  bool may_pull() const noexcept final { return false; }

 protected:
  template <typename... Args>
  explicit buffering_node(graph& g, Args&&... args) : living_node(g), base(g.core(), std::forward<Args>(args)...) {}
  graph& graph_reference() const override { return this->my_graph; }
  void reset_node(reset_flags f) override { this->reset_outlet(f); }
  void settle() override { this->settle_outlet(); }
  void forget_tokens() final { this->forget_kept(); }
  void describe(picture& to) override {
    to.kind(this->store_.kind());
    to.input(static_cast<receiver<T>*>(this), picture::input_kind::takes_all);
    this->describe_outlet(to);
  }

 private:
  ASHLAR_NOINLINE job* keep_waited_for(T& v, passage p) { return keep(v, p); }
  ASHLAR_ALWAYS_INLINE job* keep(T& v, passage p) {
    {
      guard const held(this->lock_);
      if (!this->store_.add(v, this->to_keep(p))) return nullptr;
      this->again_ = true;
    }
    job* const answer = this->pump_for(p.token());
    return answer != nullptr ? answer : accepted();
  }
};

#if defined(TBB_DEPRECATED_SEQUENCER_DUPLICATES) && TBB_DEPRECATED_SEQUENCER_DUPLICATES
template <typename T>
using sequencer_store = sequence_store<T, true>;
#else
template <typename T>
using sequencer_store = sequence_store<T, false>;
#endif

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// In any order.
template <typename T, typename Allocator = cache_aligned_allocator<T>>
class buffer_node : public ::ashlar::flow::buffering_node<T, ::ashlar::flow::queue_store<T>> {
  using base = typename buffer_node::buffering_node;

 public:
  explicit buffer_node(::ashlar::flow::position<buffer_node> where) : base(where.its_graph()), life_(*this, where) {}
  buffer_node(buffer_node const& other) : buffer_node(other.my_graph) {}

 protected:
  using typename base::life;
  using typename base::part;
  buffer_node(graph& g, part p) : base(g), life_(p) {}

 private:
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

/// First in, first out.
template <typename T, typename Allocator = cache_aligned_allocator<T>>
class queue_node : public buffer_node<T, Allocator> {
  using base = buffer_node<T, Allocator>;

 public:
  explicit queue_node(::ashlar::flow::position<queue_node> where)
      : base(where.its_graph(), typename base::part()), life_(*this, where) {}
  queue_node(queue_node const& other) : queue_node(other.my_graph) {}

 private:
  using typename base::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

/// The largest first. With a stable_order as Compare, of equal ones the one that came first.
template <typename T, typename Compare = std::less<T>, typename Allocator = cache_aligned_allocator<T>>
class priority_queue_node : public ::ashlar::flow::buffering_node<T, ::ashlar::flow::priority_store<T, Compare>> {
  using base = typename priority_queue_node::buffering_node;

 public:
  explicit priority_queue_node(::ashlar::flow::position<priority_queue_node> where, Compare const& less = Compare())
      : base(where.its_graph(), less), life_(*this, where) {}
  priority_queue_node(priority_queue_node const& other) : priority_queue_node(other.my_graph, other.store_.compare()) {}

 private:
  using typename base::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

/// By the number that a function gives to each message, from 0 on, each number once. Numbers that were there are
/// refused. With TBB_DEPRECATED_SEQUENCER_DUPLICATES they are taken: a message replaces one of its number that waits,
/// and is dropped if that was handed on.
template <typename T, typename Allocator = cache_aligned_allocator<T>>
class sequencer_node : public ::ashlar::flow::buffering_node<T, ::ashlar::flow::sequencer_store<T>> {
  using base = typename sequencer_node::buffering_node;

 public:
  template <typename Sequencer>
  ASHLAR_REQUIRES(std::is_invocable_r_v<std::size_t, Sequencer&, T const&>)
  sequencer_node(::ashlar::flow::position<sequencer_node> where, Sequencer const& number)
      : base(where.its_graph(), number), life_(*this, where) {
    static_assert(std::is_invocable_r_v<std::size_t, Sequencer&, T const&>,
                  "sequencer_node: the function must return a message's number: std::size_t f(T const&)");
  }
#if ASHLAR_CONSTRAINED
  template <typename Sequencer>
  sequencer_node(::ashlar::flow::position<sequencer_node>, Sequencer const&) = delete;  // needs std::size_t f(T const&)
#endif
  sequencer_node(sequencer_node const& other) : base(other.my_graph, other.store_), life_(*this, other) {}

  template <typename Body>
  Body copy_function_object() const {
    return this->store_.template copy_body<Body>();
  }

 private:
  using typename base::life;
  void reset_node(reset_flags f) override {
    base::reset_node(f);
    if ((f & rf_reset_bodies) != 0) this->store_.reset_body();
  }
  // Numbers of messages that were dropped would never come.
  void settle() override { this->settle_and_forget(); }
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, buffer_node)
ASHLAR_FLOW_KNOWN_IN(11, queue_node)
ASHLAR_FLOW_KNOWN_IN(11, priority_queue_node)
ASHLAR_FLOW_KNOWN_IN(11, sequencer_node)
}  // namespace flow
}  // namespace tbb
