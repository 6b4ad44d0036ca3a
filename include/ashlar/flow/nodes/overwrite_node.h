// SPDX-License-Identifier: Apache-2.0
// tbb::flow::overwrite_node and write_once_node. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/edges/node_set.h>
#include <ashlar/flow/engine/living_node.h>
#include <ashlar/flow/nodes/broadcast_node.h>

#include <optional>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// Keeps the latest message and sends it to all successors; those that come later get it at once.
template <typename T>
class overwrite_node : public ::ashlar::flow::living_node,
                       public ::ashlar::flow::relay<T>,
                       public ::ashlar::flow::node_output<T> {
  static_assert(std::is_copy_constructible_v<T>,
                "overwrite_node: messages must be copyable: the node keeps one "
                "and sends another");
  using guard = ::ashlar::flow::guard;
  using job = ::ashlar::sched::job;
  using passage = ::ashlar::flow::passage;

 public:
  explicit overwrite_node(::ashlar::flow::position<overwrite_node> where)
      : overwrite_node(where.its_graph(), false, *this, where) {}
  overwrite_node(overwrite_node const& other) : overwrite_node(other.my_graph) {}

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
    if (ASHLAR_UNLIKELY(r.only_pulls())) {
      this->successors_.add(r, *this);
      return true;
    }
    add_and_send(r, [&] {
      this->successors_.add(r, *this);
      return true;
    });
    return true;
  }
  bool take_back(receiver<T>& r) override {
    add_and_send(r, [&] { return this->successors_.take_back(r, *this); });
    return true;
  }
  job* receive(T& v, passage p) override {
    if (ASHLAR_UNLIKELY(::ashlar::flow::relay<T>::core().refuses())) return nullptr;
    ::ashlar::flow::lock::scoped_lock held(lock_);
    if (value_ && keeps_first_) return nullptr;
    value_.emplace(static_cast<T const&>(v));
    if (ASHLAR_UNLIKELY(!::ashlar::flow::call_scope::has_room())) {
      held.release();
      return this->pass(v, p);
    }
    ::ashlar::flow::call_scope const deeper;
    job* const answer = send(held, v, p);
    return answer != nullptr ? answer : ::ashlar::flow::accepted();
  }

 protected:
  using life = ::ashlar::flow::node_base::life;
  template <typename... Life>
  explicit overwrite_node(graph& g, bool keeps_first, Life&&... its)
      : ::ashlar::flow::living_node(g),
        ::ashlar::flow::relay<T>(g),
        ::ashlar::flow::node_output<T>(g.core()),
        keeps_first_(keeps_first),
        life_(std::forward<Life>(its)...) {}

 private:
  // A successor comes by add(), which returns whether it does, and gets the value.
  template <typename Add>
  void add_and_send(receiver<T>& r, Add const& add) {
    std::optional<T> now;
    {
      guard const held(lock_);
      if (value_) now.emplace(*value_);
      if (!add()) return;
    }
    if (!now) return;
    if (job* const j = ::ashlar::flow::job_or_null(this->successors_.put(r, *now, passage::moved(), *this))) {
      graph_node::core().start(*j);
    }
  }
  // To those who are successors while the value is stored: a later one gets it with its edge, and not once more.
  job* send(::ashlar::flow::lock::scoped_lock& held, T& v, passage p) {
    ::ashlar::flow::successors<T>& all = this->successors_;
    void* only;
    job* answer = nullptr;
    if (ASHLAR_LIKELY(all.find_only(only))) {
      held.release();
      answer = all.put_into_only(*static_cast<receiver<T>*>(only), v, p, *this, nullptr);
    } else if (only != nullptr) {
      answer = send_to_many(held, v, p);
    } else {
      held.release();
    }
    return ASHLAR_LIKELY(!all.has_pullers()) ? answer : announce_after(answer);
  }
  ASHLAR_NOINLINE job* send_to_many(::ashlar::flow::lock::scoped_lock& held, T& v, passage p) {
    ::ashlar::flow::edge_copy const these = this->successors_.now();
    held.release();
    return this->successors_.broadcast_to_these(these, v, p, *this, nullptr);
  }
  ASHLAR_NOINLINE job* announce_after(job* answer) {
    return ::ashlar::flow::keep_last_of(graph_node::core(), answer, [&] { return this->successors_.announce(); });
  }
  // On a deep stack, where the message is stored already. A successor that has come since gets it twice.
  job* hand_on(T& v, passage p) final {
    ::ashlar::flow::lock::scoped_lock held(lock_);
    return send(held, v, p);
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
    this->reset_output(f);
  }

  life const& its_life() const noexcept override { return life_; }

  bool const keeps_first_;
  ::ashlar::flow::lock lock_;
  std::optional<T> value_;
  life const life_;
};

/// Keeps the first message; refuses others until clear().
template <typename T>
class write_once_node : public overwrite_node<T> {
 public:
  explicit write_once_node(::ashlar::flow::position<write_once_node> where)
      : overwrite_node<T>(where.its_graph(), true, typename write_once_node::part()), life_(*this, where) {}
  write_once_node(write_once_node const& other) : write_once_node(other.my_graph) {}

 private:
  using typename overwrite_node<T>::life;
  life const& its_life() const noexcept override { return life_; }

  life const life_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, overwrite_node)
ASHLAR_FLOW_KNOWN_IN(11, write_once_node)
}  // namespace flow
}  // namespace tbb
