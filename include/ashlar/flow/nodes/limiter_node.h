// SPDX-License-Identifier: Apache-2.0
// tbb::flow::limiter_node. Users include <tbb/flow_graph.h>.
//
// Invariants LI1 count_ is the number of messages that were handed on, or are being handed on, and were not given back.
//            LI2 who makes room, or adds a predecessor or a successor, pulls; while one thread pulls, others only tell
//            it so.
// Ordering   [FL1] room made: count_ down, acq_rel -> [FL2] room taken: acq_rel
//            [FL1] before the look for predecessors <-> [FL3] after one has come: whoever steps later sees the other
//            [FL3] after a predecessor has come <-> [FL3] after a successor has, or is pushed to again: the same
// Model      tests/model/flow_edges_model.cpp
#pragma once

#include <ashlar/flow/edges/node_output.h>
#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/edges/round_receiver.h>
#include <ashlar/flow/engine/living_node.h>

#include <cstddef>

ASHLAR_FLOW_PARTS

/// What takes the limiter's decrements: numbers, or, as a continue_node does, one continue_msg of each predecessor.
template <typename Limiter, typename Decrement>
class decrement_port : public node_receiver<Decrement> {
  static_assert(std::is_integral_v<Decrement>,
                "limiter_node<T, Decrement>: Decrement is continue_msg or an integral type");

 public:
  decrement_port(Limiter& l, graph& g) noexcept : limiter_(&l), graph_(&g) {}
  job* receive(Decrement& by, passage) final {
    if (ASHLAR_UNLIKELY(graph_->core().refuses())) return nullptr;
    job* const answer = limiter_->decrease(static_cast<long long>(by));
    return answer != nullptr ? answer : accepted();
  }
  bool may_pull() const noexcept final { return false; }
  void reset_port(reset_flags) noexcept {}
  void describe(picture& to) {
    to.input(static_cast<receiver<Decrement>*>(this), picture::input_kind::takes_all, "decrement");
  }

 private:
  graph& graph_reference() const override { return *graph_; }
  Limiter* const limiter_;
  graph* const graph_;
};
/// The last message of a round decrements at once: there is no body to run. A wait for one message does not wait for
/// the round.
template <typename Limiter>
class decrement_port<Limiter, continue_msg> : public round_receiver {
 public:
  decrement_port(Limiter& l, graph& g, int predecessors = 0) noexcept : round_receiver(g, predecessors), limiter_(&l) {}
  job* receive(continue_msg&, passage) final {
    if (ASHLAR_UNLIKELY(core().refuses())) return nullptr;
    return arrive() != turn::counted ? end_round() : accepted();
  }
  void reset_port(reset_flags f) noexcept { reset_rounds(f); }
  void describe(picture& to) { describe_rounds(to, "decrement"); }

 private:
#if ASHLAR_CLASSIC_DIALECT
  graph_task* execute() final { return task_of(end_round()); }
#endif
  job* end_round() {
    job* const answer = limiter_->decrease(1);
    return answer != nullptr ? answer : accepted();
  }
  Limiter* const limiter_;
};

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Hands messages on to all successors until `threshold` of them are under way, and refuses others; decrements give
/// back what is over. A negative decrement takes. A refused predecessor is asked for its message when there is room.
template <typename T, typename Decrement = continue_msg>
class limiter_node : public ::ashlar::flow::living_node,
                     public ::ashlar::flow::pulling_receiver<T>,
                     public ::ashlar::flow::node_output<T> {
  static_assert(std::is_default_constructible_v<T>,
                "limiter_node: messages need a default constructor: the node gets those that it has refused from its "
                "predecessors");
  using job = ::ashlar::sched::job;
  using passage = ::ashlar::flow::passage;
  using guard = ::ashlar::flow::guard;
  using port = ::ashlar::flow::decrement_port<limiter_node, Decrement>;
  friend port;

 public:
  using predecessor_type = sender<T>;
  using successor_type = receiver<T>;
  using decrement_type = Decrement;

  limiter_node(::ashlar::flow::position<limiter_node> where, std::size_t threshold)
      : limiter_node(threshold, where, where.its_graph()) {}
#if ASHLAR_CLASSIC_DIALECT && defined(TBB_DEPRECATED_LIMITER_NODE_CONSTRUCTOR) && \
    TBB_DEPRECATED_LIMITER_NODE_CONSTRUCTOR
  limiter_node(graph& g, std::size_t threshold, int number_of_decrement_predecessors)
      : limiter_node(threshold, ::ashlar::flow::position<limiter_node>(g), g, number_of_decrement_predecessors) {}
#endif
  limiter_node(limiter_node const& other) : limiter_node(other.my_graph, other.threshold_) {}

  receiver<Decrement>& decrementer() { return decrement; }

  job* receive(T& v, passage p) final {
    if (!enter()) return nullptr;
    ASHLAR_TRY {
      if (job* const answer = this->broadcast(*this, v, p)) return answer;
    }
    ASHLAR_CATCH_ALL {
      leave();
      ASHLAR_RETHROW;
    }
    leave();
    pull_and_start();
    return nullptr;
  }
  bool list_predecessor(predecessor_type& from) final {
    if (graph_node::core().cancelled(::ashlar::sched::this_slot())) return false;
    this->predecessors_.add(from);
    return true;
  }
  void ask_predecessors() final { step_and_pull(); }

 private:
  template <typename... Predecessors>
  limiter_node(std::size_t threshold, ::ashlar::flow::position<limiter_node> const& where, graph& g,
               Predecessors... of_decrement)
      : ::ashlar::flow::living_node(g),
        ::ashlar::flow::node_output<T>(g.core()),
        decrement(*this, g, of_decrement...),
        threshold_(threshold),
        life_(*this, where) {}

  void serve(successor_type& r) override {
    if (!r.only_pulls()) step_and_pull();
  }
  bool enter() noexcept {
    std::size_t n = count_.load(::ashlar::mo::relaxed);
    do {
      if (n >= threshold_) return false;
    } while (!count_.compare_exchange(n, n + 1, ::ashlar::mo::acq_rel, ::ashlar::mo::relaxed));  // [FL2]
    return true;
  }
  void leave() noexcept { change(1); }
  // Down by so many; stays between 0 and the threshold.
  void change(long long by) noexcept {
    std::size_t const size = by >= 0 ? static_cast<std::size_t>(by) : std::size_t{0} - static_cast<std::size_t>(by);
    std::size_t n = count_.load(::ashlar::mo::relaxed);
    std::size_t to;
    do {
      if (by >= 0) {
        to = size > n ? 0 : n - size;
      } else {
        to = size > threshold_ - n ? threshold_ : n + size;
      }
    } while (!count_.compare_exchange(n, to, ::ashlar::mo::acq_rel, ::ashlar::mo::relaxed));  // [FL1]
  }
  job* decrease(long long by) {
    change(by);
    return pull();
  }

  // After an end of an edge was added. Of two threads, one of which adds a predecessor and the other one a successor,
  // the later one to step sees both.
  void step_and_pull() {
    count_.fetch_add(0, ::ashlar::mo::acq_rel);  // [FL3]
    pull_and_start();
  }
  void pull_and_start() {
    if (job* const j = pull()) graph_node::core().start(*j);
  }
  // Takes messages from predecessors while there is room.
  job* pull() {
    if (ASHLAR_LIKELY(this->predecessors_.empty())) return nullptr;
    {
      guard const held(lock_);
      again_ = true;
      if (pulling_) return nullptr;
      pulling_ = true;
    }
    job* last = nullptr;
    for (;;) {
      {
        guard const held(lock_);
        if (!again_) {
          pulling_ = false;
          return last;
        }
        again_ = false;
      }
      while (pull_one(last)) {
      }
    }
  }
  // False: no room, no message, or nobody who takes it.
  bool pull_one(job*& last) {
    if (!enter()) return false;
    predecessor_type* const from = this->predecessors_.front();
    if (from == nullptr || this->successors_.empty()) {
      leave();
      return false;
    }
    job* answer = nullptr;
    bool reserved = false;
    ASHLAR_TRY {
      T v{};
      message_metainfo m;
      reserved = from->try_reserve(v, m);
      if (reserved) answer = this->broadcast(*this, v, passage::moved(m.token()));
    }
    ASHLAR_CATCH_ALL { graph_node::core().fail(); }
    if (answer == nullptr) leave();
    // It is kept before the predecessor is told, which may push more and fail.
    if (answer != nullptr) {
      last = ::ashlar::flow::job_or_null(::ashlar::flow::keep_last(graph_node::core(), last, answer));
    }
    ASHLAR_TRY {
      if (!reserved) {
        this->predecessors_.give_back(*from, *this);
      } else if (answer != nullptr) {
        from->try_consume();
      } else {
        from->try_release();
        return false;
      }
    }
    ASHLAR_CATCH_ALL {
      graph_node::core().fail();
      return false;
    }
    return true;
  }

  graph& graph_reference() const override { return my_graph; }
  void reset_node(reset_flags f) override {
    count_.store(0, ::ashlar::mo::relaxed);
    decrement.reset_port(f);
    if ((f & rf_clear_edges) != 0) {
      this->predecessors_.clear();
      this->reset_output(f);
    }
  }
  // Predecessors push again, and at once: not before all nodes have dropped what they hold.
  void restart() override { this->predecessors_.give_back_all(*this); }
  void settle() override {
    reset_node(rf_reset_protocol);
    restart();
  }
  // Who sends gets the refusal, and may keep the message.
  void describe(::ashlar::flow::picture& to) override {
    to.kind("limiter_node");
    to.input(static_cast<receiver<T>*>(this), ::ashlar::flow::picture::input_kind::refuses);
    this->predecessors_.describe(to);
    decrement.describe(to);
    this->describe_output(to, ::ashlar::flow::picture::output_kind::keeps);
    std::size_t const n = count_.load(::ashlar::mo::relaxed);
    to.say("%zu of %zu messages are under way%s", n, threshold_, n < threshold_ ? "" : ": it waits for a decrement");
  }
  life const& its_life() const noexcept override { return life_; }

 public:
  port decrement;

 private:
  std::size_t const threshold_;
  ::ashlar::atomic<std::size_t> count_{0};
  ::ashlar::flow::lock lock_;
  bool pulling_ = false;
  bool again_ = false;
  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, limiter_node)
}  // namespace flow
}  // namespace tbb
