// SPDX-License-Identifier: Apache-2.0
// Classic TBB's preview async_msg: a message whose value comes later. Users include <tbb/flow_graph.h>.
//
// Threads    any. A value's lock is not held while a receiver is called.
#pragma once

#include <ashlar/flow/nodes/buffer_node.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

ASHLAR_FLOW_PARTS

/// Where a value arrives.
template <typename T>
class awaits_value {
 public:
  /// The value; null: it will never come.
  virtual void arrive(T const* value) = 0;

 protected:
  ~awaits_value() = default;
};

/// The value that all copies of an async_msg share.
template <typename T>
class late_value {
 public:
  late_value() = default;
  late_value(late_value const&) = delete;
  late_value& operator=(late_value const&) = delete;
  ~late_value() {
    for (awaits_value<T>* w : waiting_) w->arrive(nullptr);
  }
  /// The first value stays.
  template <typename Value>
  void set(Value&& v) {
    std::vector<awaits_value<T>*> told;
    {
      guard const held(lock_);
      if (value_) return;
      value_.emplace(std::forward<Value>(v));
      told.swap(waiting_);
    }
    for (awaits_value<T>* w : told) w->arrive(std::addressof(*value_));
  }
  /// w.arrive() is called once, at once or by set(). Throws std::bad_alloc.
  void await(awaits_value<T>& w) {
    {
      guard const held(lock_);
      if (!value_) return waiting_.push_back(&w);
    }
    w.arrive(std::addressof(*value_));
  }

 private:
  lock lock_;
  std::optional<T> value_;  // does not change any more
  std::vector<awaits_value<T>*> waiting_;
};

template <typename Message, typename T, typename = void>
inline constexpr bool is_async_of = false;
template <typename Message, typename T>
inline constexpr bool is_async_of<Message, T, std::void_t<typename Message::async_msg_data_type>> =
    std::is_same_v<typename Message::async_msg_data_type, T>;

template <typename From, typename To>
class converting_edge;

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// A message that a node may send before its value is known. set() gives the value, from any thread; copies share it. A
/// receiver of T behind an edge gets it then, and wait_for_all waits for that. Programs may derive from it: finalize()
/// is called when the message has reached such a receiver, which is then certain to get what is set.
///
/// A value that is never set, of which no copy is left, is not waited for.
template <typename T>
class async_msg {
 public:
  using async_msg_data_type = T;
  async_msg() : value_(std::make_shared<::ashlar::flow::late_value<T>>()) {}
  /// A message whose value is known; a body may return the value itself.
  async_msg(T const& v) : async_msg() { set(v); }
  async_msg(T&& v) : async_msg() { set(std::move(v)); }
  async_msg(async_msg const&) = default;
  async_msg& operator=(async_msg const&) = default;
  virtual ~async_msg() = default;
  void set(T const& v) { value_->set(v); }
  void set(T&& v) { value_->set(std::move(v)); }

 protected:
  virtual void finalize() const {}

 private:
  template <typename, typename>
  friend class ::ashlar::flow::converting_edge;
  std::shared_ptr<::ashlar::flow::late_value<T>> value_;
};

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, async_msg)
}  // namespace flow
}  // namespace tbb

ASHLAR_FLOW_PARTS

/// An edge from a sender of async_msg<T> to a receiver of T, or the other way round: a queue keeps what the receiver
/// refuses. It ends with the graph, because values may come late.
template <typename From, typename To>
class converting_edge : public node_receiver<From>, public graph_part, awaits_value<To> {
 public:
  converting_edge(sender<From>& from, receiver<To>& to) : from_(&from), to_(&to), queue_(to.its_graph()) {
    queue_.register_successor(to);
  }
  job* receive(From& v, passage p) override {
    if constexpr (is_async_of<From, To>) {
      if (this->core().refuses()) return nullptr;
      this->core().reserve_wait();
      ASHLAR_TRY { v.value_->await(*this); }
      ASHLAR_CATCH_ALL {
        this->core().release_wait();
        ASHLAR_RETHROW;
      }
      static_cast<tbb::flow::async_msg<To> const&>(v).finalize();
      return accepted();
    } else {
      To message;
      message.set(p.movable() ? std::move(v) : From(static_cast<From const&>(v)));
      return queue_.receive(message, passage::moved(p.token()));
    }
  }
  bool may_pull() const noexcept final { return false; }
  bool joins(void const* from, void const* to) const noexcept final { return from == from_ && to == to_; }
  void disconnect() {
    from_->remove_successor(*this);
    queue_.remove_successor(*to_);
    from_ = nullptr;
  }

 private:
  void arrive(To const* value) override {
    ASHLAR_TRY {
      if (value != nullptr) queue_.try_put(*value);
    }
    ASHLAR_CATCH_ALL { this->core().fail(); }
    this->core().release_wait();
  }
  graph& graph_reference() const override { return to_->its_graph(); }

  sender<From>* from_;
  receiver<To>* const to_;
  tbb::flow::queue_node<To> queue_;
};

template <typename From, typename To>
inline constexpr bool may_convert = is_async_of<From, To> || is_async_of<To, From>;

template <typename From, typename To>
struct edge_between<From, To, std::enable_if_t<may_convert<From, To>>> {
  static void make(sender<From>& from, receiver<To>& to) {
    auto* const edge = new converting_edge<From, To>(from, to);
    to.its_graph().adopt(*edge);
    from.register_successor(*edge);
  }
  static void remove(sender<From>& from, receiver<To>& to) {
    auto* const edge = to.its_graph().find_part(&from, &to);
    if (edge != nullptr) static_cast<converting_edge<From, To>*>(edge)->disconnect();
  }
};

ASHLAR_FLOW_PARTS_END

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

template <typename From, typename To, typename = std::enable_if_t<::ashlar::flow::may_convert<From, To>>>
void make_edge(sender<From>& from, receiver<To>& to) {
  ::ashlar::flow::connect(from, to);
}
template <typename From, typename To, typename = std::enable_if_t<::ashlar::flow::may_convert<From, To>>>
void remove_edge(sender<From>& from, receiver<To>& to) {
  ::ashlar::flow::disconnect(from, to);
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, make_edge)
ASHLAR_FLOW_KNOWN_IN(11, remove_edge)
}  // namespace flow
}  // namespace tbb
