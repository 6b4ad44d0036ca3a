// SPDX-License-Identifier: Apache-2.0
// How buffering nodes keep their messages; outlet.h says what a store is. add() returns false for a message that is
// refused.
#pragma once

#include <ashlar/base/throw.h>
#include <ashlar/containers/stable_order.h>
#include <ashlar/flow/engine/body.h>
#include <ashlar/flow/engine/picture.h>
#include <ashlar/flow/work/message_queue.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// First in, first out.
template <typename T>
class queue_store {
 public:
  bool add(T& v, passage p) {
    queue_.push(v, p);
    return true;
  }
  bool ready() const noexcept { return !queue_.empty(); }
  T& begin_send() noexcept { return queue_.front(); }
  wait_token* token() const noexcept { return queue_.front_token(); }
  void end_send(bool sent) noexcept {
    if (sent) queue_.pop();
  }
  void clear() noexcept { queue_.clear(); }
  void forget(wait_token const* t) noexcept { queue_.forget(t); }
  static char const* kind() noexcept { return "queue_node"; }
  void describe(picture& to) const { to.queued(queue_.size()); }

 private:
  message_queue<T> queue_;
};

/// A message in a store that moves them about.
template <typename T>
struct kept_message {
  T value;
  wait_token* token;
};

/// The same with the number of its coming.
template <typename T>
struct numbered_message : kept_message<T> {
  std::uint64_t number = 0;
};

/// The largest first: a heap.
template <typename T, typename Compare>
class priority_store {
 public:
  explicit priority_store(Compare const& less) : less_(less) { hand_.reserve(1); }
  ~priority_store() { clear(); }
  priority_store(priority_store const&) = delete;
  priority_store& operator=(priority_store const&) = delete;
  Compare const& compare() const noexcept { return less_; }

  bool add(T& v, passage p) {
    if constexpr (stable) {
      heap_.push_back({{make_value<T>(v, p), nullptr}, next_++});
    } else {
      heap_.push_back({make_value<T>(v, p), nullptr});
    }
    heap_.back().token = p.use();
    rise();
    return true;
  }
  bool ready() const noexcept { return !heap_.empty(); }
  /// In hand it lies at the end, in a vector of its own.
  T& begin_send() {
    hand_.push_back(std::move(heap_.front()));
    sink();
    return hand_.back().value;
  }
  wait_token* token() const noexcept { return hand_.back().token; }
  void end_send(bool sent) {
    if (!sent) {
      heap_.push_back(std::move(hand_.back()));
      rise();
    }
    hand_.clear();
  }
  void clear() noexcept {
    for (auto& m : heap_) release_token(m.token);
    for (auto& m : hand_) release_token(m.token);
    heap_.clear();
    hand_.clear();
  }
  void forget(wait_token const* t) noexcept {
    for (auto& m : heap_) m.token = wait_token::without(m.token, t);
  }
  static char const* kind() noexcept { return "priority_queue_node"; }
  void describe(picture& to) const { to.queued(heap_.size() + hand_.size()); }

 private:
  static constexpr bool stable = containers::is_stable<Compare>;
  using message = std::conditional_t<stable, numbered_message<T>, kept_message<T>>;
  bool less(message const& a, message const& b) {
    if constexpr (stable) {
      return containers::leaves_after(less_, a.value, a.number, b.value, b.number);
    } else {
      return less_(a.value, b.value);
    }
  }
  // The last one goes up to its place.
  void rise() {
    std::size_t i = heap_.size() - 1;
    message m = std::move(heap_[i]);
    for (; i != 0 && less(heap_[(i - 1) / 2], m); i = (i - 1) / 2) {
      heap_[i] = std::move(heap_[(i - 1) / 2]);
    }
    heap_[i] = std::move(m);
  }
  // The last one fills the hole at the top.
  void sink() {
    message m = std::move(heap_.back());
    heap_.pop_back();
    if (heap_.empty()) return;
    std::size_t i = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * i + 1) {
      if (child + 1 < heap_.size() && less(heap_[child], heap_[child + 1])) ++child;
      if (!less(m, heap_[child])) break;
      heap_[i] = std::move(heap_[child]);
      i = child;
    }
    heap_[i] = std::move(m);
  }

  Compare less_;
  std::uint64_t next_ = 0;  // of a stable_order
  std::vector<message> heap_;
  std::vector<message> hand_;
};

/// By number, each once, from 0 on: a ring that begins at the next number. A number that was there before is refused,
/// or else taken: then a message replaces one of its number that waits, and is dropped if that was handed on.
template <typename T, bool TakesDuplicates>
class sequence_store {
 public:
  template <typename Sequencer>
  explicit sequence_store(Sequencer const& f) : number_(plain_adapter<std::size_t>(), f) {}
  sequence_store(sequence_store const& o) : number_(o.number_) {}
  sequence_store& operator=(sequence_store const&) = delete;
  ~sequence_store() {
    clear();
    ::operator delete(ring_, std::align_val_t(alignof(cell)));
  }

  bool add(T& v, passage p) {
    std::size_t const number = number_(v);
    if (number < next_) return TakesDuplicates;
    if (number - next_ >= room_) grow(number - next_ + 1);
    cell& c = at(number);
    if (c.full) return TakesDuplicates && replace(c, v, p);
    put_into<T>(c.place, v, p);
    c.token = p.use();
    c.full = true;
    return true;
  }
  bool ready() const noexcept { return in_hand_ || (room_ != 0 && ring_[next_ & (room_ - 1)].full); }
  /// In hand it lies apart from the ring, which may grow.
  T& begin_send() {
    if (in_hand_) return hand();
    cell& c = at(next_);
    ::new (static_cast<void*>(hand_)) T(std::move(c.value()));
    c.value().~T();
    c.full = false;
    hand_token_ = c.token;
    in_hand_ = true;
    ++next_;
    return hand();
  }
  wait_token* token() const noexcept { return hand_token_; }
  /// What isn't sent stays in hand.
  void end_send(bool sent) noexcept {
    if (!sent) return;
    hand().~T();
    in_hand_ = false;
  }
  void clear() noexcept {
    if (in_hand_) {
      release_token(hand_token_);
      end_send(true);
    }
    clear_rest();
  }
  /// Without what is in hand.
  void clear_rest() noexcept {
    for (std::size_t i = 0; i < room_; ++i) {
      if (ring_[i].full) drop(ring_[i]);
    }
    next_ = 0;
  }
  void forget(wait_token const* t) noexcept {
    if (in_hand_) hand_token_ = wait_token::without(hand_token_, t);
    for (std::size_t i = 0; i < room_; ++i) {
      if (ring_[i].full) ring_[i].token = wait_token::without(ring_[i].token, t);
    }
  }
  void reset_body() { number_.reset(); }
  static char const* kind() noexcept { return "sequencer_node"; }
  void describe(picture& to) const {
    std::size_t later = 0;
    for (std::size_t i = 0; i < room_; ++i) later += ring_[i].full;
    to.queued(later + in_hand_);
    if (later != 0 && !ready()) to.say("number %zu is missing: %zu later ones wait for it", next_, later);
  }
  template <typename F>
  F copy_body() const {
    return number_.template copy<F>();
  }

 private:
  struct cell {
    T& value() noexcept { return *std::launder(reinterpret_cast<T*>(place)); }
    alignas(T) unsigned char place[sizeof(T)];
    wait_token* token;
    bool full;
  };
  static void drop(cell& c) noexcept {
    c.full = false;
    c.value().~T();
    release_token(c.token);
  }
  // The one that waits stays if the other can't be copied.
  static bool replace(cell& c, T& v, passage p) {
    T fresh = make_value<T>(v, p);
    drop(c);
    ::new (static_cast<void*>(c.place)) T(std::move(fresh));
    c.token = p.use();
    c.full = true;
    return true;
  }
  T& hand() noexcept { return *std::launder(reinterpret_cast<T*>(hand_)); }
  cell& at(std::size_t number) noexcept { return ring_[number & (room_ - 1)]; }
  void grow(std::size_t wanted) {
    std::size_t room = room_ == 0 ? 16 : room_;
    while (room < wanted) {
      if (room > ~std::size_t{0} / 2 / sizeof(cell)) throw_exception(exception_id::bad_alloc);
      room *= 2;
    }
    auto* const larger = static_cast<cell*>(::operator new(room * sizeof(cell), std::align_val_t(alignof(cell))));
    for (std::size_t i = 0; i < room; ++i) larger[i].full = false;
    for (std::size_t i = 0; i < room_; ++i) {
      cell& from = at(next_ + i);
      if (!from.full) continue;
      cell& to = larger[(next_ + i) & (room - 1)];
      ::new (static_cast<void*>(to.place)) T(std::move(from.value()));
      from.value().~T();
      to.token = from.token;
      to.full = true;
    }
    ::operator delete(ring_, std::align_val_t(alignof(cell)));
    ring_ = larger;
    room_ = room;
  }

  body_box<std::size_t(T const&)> number_;
  cell* ring_ = nullptr;
  std::size_t room_ = 0;  // a power of two, or 0
  std::size_t next_ = 0;  // what is to be sent next, less what is in hand
  alignas(T) unsigned char hand_[sizeof(T)];
  wait_token* hand_token_ = nullptr;
  bool in_hand_ = false;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
