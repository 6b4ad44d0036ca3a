// SPDX-License-Identifier: Apache-2.0
// How joins keep their messages until a tuple is complete; outlet.h says what a store is. add<I>() returns false for a
// message that port I refuses.
#pragma once

#include <ashlar/containers/hash_compare.h>
#include <ashlar/flow/engine/body.h>
#include <ashlar/flow/engine/picture.h>
#include <ashlar/flow/work/message_queue.h>

#include <optional>
#include <tuple>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// The tuple that is shown to successors, until one has taken it.
template <typename Tuple>
class tuple_in_hand {
 public:
  wait_token* token() const noexcept { return token_; }
  void end_send(bool sent) noexcept {
    if (sent) tuple_.reset();
  }

 protected:
  void drop_hand() noexcept {
    if (tuple_) release_token(token_);
    tuple_.reset();
  }
  void forget_in_hand(wait_token const* t) noexcept {
    if (tuple_) token_ = wait_token::without(token_, t);
  }
  std::optional<Tuple> tuple_;
  wait_token* token_ = nullptr;
};

/// A queue for each port; a tuple of the oldest message of each.
template <typename... Ts>
class queueing_store : public tuple_in_hand<std::tuple<Ts...>> {
  using tuple = std::tuple<Ts...>;

 public:
  template <std::size_t At, typename T>
  bool add(T& v, passage p) {
    auto& queue = std::get<At>(queues_);
    bool const first = queue.empty();
    queue.push(v, p);
    if (first) ++filled_;
    return true;
  }
  bool ready() const noexcept { return filled_ == sizeof...(Ts) || this->tuple_.has_value(); }
  tuple& begin_send() {
    if (!this->tuple_) take_fronts(std::index_sequence_for<Ts...>());
    return *this->tuple_;
  }
  void clear() noexcept {
    this->drop_hand();
    clear_rest();
  }
  /// Without what is in hand.
  void clear_rest() noexcept {
    std::apply([](auto&... queue) { (queue.clear(), ...); }, queues_);
    filled_ = 0;
  }
  void forget(wait_token const* t) noexcept {
    this->forget_in_hand(t);
    std::apply([t](auto&... queue) { (queue.forget(t), ...); }, queues_);
  }
  void describe(picture& to) const {
    std::size_t all = this->tuple_.has_value() ? sizeof...(Ts) : 0;
    std::apply([&](auto const&... queue) { ((all += queue.size()), ...); }, queues_);
    to.queued(all);
    if (filled_ == 0 || filled_ == sizeof...(Ts)) return;
    std::size_t port = 0;
    std::apply([&](auto const&... queue) { (to.say("port %zu has %zu messages", port++, queue.size()), ...); },
               queues_);
  }

 private:
  template <std::size_t... At>
  void take_fronts(std::index_sequence<At...>) {
    wait_token* joint = nullptr;
    ASHLAR_TRY {
      (wait_token::add(joint, std::get<At>(queues_).front_token()), ...);
      this->tuple_.emplace(std::move(std::get<At>(queues_).front())...);
    }
    ASHLAR_CATCH_ALL {
      release_token(joint);
      ASHLAR_RETHROW;
    }
    this->token_ = joint;
    (end_front(std::get<At>(queues_)), ...);
  }
  template <typename Queue>
  void end_front(Queue& queue) noexcept {
    wait_token* const t = queue.front_token();
    queue.pop();
    release_token(t);
    if (queue.empty()) --filled_;
  }

  std::tuple<message_queue<Ts>...> queues_;
  std::size_t filled_ = 0;  // queues with a message
};

/// One table of incomplete tuples, by key. What is complete leaves in the order of its completion.
template <typename Key, typename HashCompare, typename... Ts>
class key_store : public tuple_in_hand<std::tuple<Ts...>> {
  using tuple = std::tuple<Ts...>;
  static_assert(sizeof...(Ts) <= 64, "a key matching join has at most 64 ports");

 public:
  template <typename... Bodies>
  explicit key_store(Bodies const&... b) : keys_(key_body<Ts>(b)...) {}
  key_store(key_store const& o) : keys_(o.keys_) {}
  key_store& operator=(key_store const&) = delete;
  ~key_store() {
    clear();
    for (entry* e = free_; e != nullptr;) delete std::exchange(e, e->next);
    delete[] buckets_;
  }

  template <std::size_t At, typename T>
  bool add(T& v, passage p) {
    Key key = std::get<At>(keys_).body(v);
    std::size_t const hash = scatter(compare_.hash(key));
    entry** at = find(key, hash);
    std::uint64_t const bit = std::uint64_t{1} << At;
    if (at != nullptr && ((*at)->ports & bit) != 0) return false;
    entry& e = at != nullptr ? **at : unused_entry();
    auto& value = std::get<At>(e.values);
    value.emplace(make_value<T>(v, p));
    ASHLAR_TRY {
      if (at == nullptr) e.key.emplace(std::move(key));
      wait_token::add(e.token, p.token());
    }
    ASHLAR_CATCH_ALL {
      value.reset();
      ASHLAR_RETHROW;
    }
    if (at == nullptr) put_into_table(e, hash);
    e.ports |= bit;
    if (e.ports == all_ports) complete(e);
    return true;
  }
  bool ready() const noexcept { return first_ != nullptr || this->tuple_.has_value(); }
  tuple& begin_send() {
    if (!this->tuple_) take_first(std::index_sequence_for<Ts...>());
    return *this->tuple_;
  }
  void clear() noexcept {
    this->drop_hand();
    clear_rest();
  }
  /// Without what is in hand.
  void clear_rest() noexcept {
    while (first_ != nullptr) recycle(*pop_first());
    for (std::size_t i = 0; i < room_; ++i) {
      while (buckets_[i] != nullptr) recycle(*std::exchange(buckets_[i], buckets_[i]->next));
    }
    size_ = 0;
  }
  void forget(wait_token const* t) noexcept {
    this->forget_in_hand(t);
    forget_in_list(first_, t);
    for (std::size_t i = 0; i < room_; ++i) forget_in_list(buckets_[i], t);
  }
  void describe(picture& to) const {
    std::size_t complete = this->tuple_.has_value();
    for (entry* e = first_; e != nullptr; e = e->next) ++complete;
    to.queued((complete + size_));
    if (size_ == 0) return;
    to.say("keys that have come at some ports only: %zu", size_);
    for (std::size_t port = 0; port < sizeof...(Ts); ++port) {
      std::size_t at_port = 0;
      for (std::size_t i = 0; i < room_; ++i) {
        for (entry* e = buckets_[i]; e != nullptr; e = e->next) at_port += e->ports >> port & 1;
      }
      to.say("port %zu has %zu of them", port, at_port);
    }
  }

 private:
  static constexpr std::uint64_t all_ports = ~std::uint64_t{0} >> (64 - sizeof...(Ts));
  template <typename T>
  struct key_body {
    template <typename F>
    explicit key_body(F const& f) : body(plain_adapter<Key>(), f) {}
    mutable body_box<Key(T const&)> body;
  };
  struct entry {
    entry* next;
    std::size_t hash;
    std::uint64_t ports;
    wait_token* token;
    std::optional<Key> key;
    std::tuple<std::optional<Ts>...> values;
  };
  static std::size_t scatter(std::size_t hash) noexcept { return hash * 0x9e3779b97f4a7c15u >> 8; }
  entry** find(Key const& key, std::size_t hash) {
    if (room_ == 0) return nullptr;
    for (entry** at = &buckets_[hash & (room_ - 1)]; *at != nullptr; at = &(*at)->next) {
      if ((*at)->hash == hash && compare_.equal(*(*at)->key, key)) return at;
    }
    return nullptr;
  }
  // The first in the list of those, which has no token; the table has room for it.
  entry& unused_entry() {
    if (size_ >= room_) grow();
    if (free_ == nullptr) free_ = new entry{};
    return *free_;
  }
  void put_into_table(entry& e, std::size_t hash) noexcept {
    free_ = e.next;
    e.hash = hash;
    e.ports = 0;
    entry*& bucket = buckets_[hash & (room_ - 1)];
    e.next = bucket;
    bucket = &e;
    ++size_;
  }
  void grow() {
    std::size_t const room = room_ == 0 ? 32 : 2 * room_;
    auto** const larger = new entry*[room]();
    for (std::size_t i = 0; i < room_; ++i) {
      for (entry* e = buckets_[i]; e != nullptr;) {
        entry* const next = e->next;
        entry*& bucket = larger[e->hash & (room - 1)];
        e->next = bucket;
        bucket = e;
        e = next;
      }
    }
    delete[] std::exchange(buckets_, larger);
    room_ = room;
  }
  // From the table to the end of the list.
  void complete(entry& e) noexcept {
    entry** at = &buckets_[e.hash & (room_ - 1)];
    while (*at != &e) at = &(*at)->next;
    *at = e.next;
    --size_;
    e.next = nullptr;
    *last_ = &e;
    last_ = &e.next;
  }
  entry* pop_first() noexcept {
    entry* const e = first_;
    first_ = e->next;
    if (first_ == nullptr) last_ = &first_;
    return e;
  }
  template <std::size_t... At>
  void take_first(std::index_sequence<At...>) {
    this->tuple_.emplace(std::move(*std::get<At>(first_->values))...);
    entry* const e = pop_first();
    this->token_ = std::exchange(e->token, nullptr);
    recycle(*e);
  }
  static void forget_in_list(entry* e, wait_token const* t) noexcept {
    for (; e != nullptr; e = e->next) e->token = wait_token::without(e->token, t);
  }
  void recycle(entry& e) noexcept {
    release_token(e.token);
    e.token = nullptr;
    e.key.reset();
    std::apply([](auto&... value) { (value.reset(), ...); }, e.values);
    e.next = free_;
    free_ = &e;
  }

  std::tuple<key_body<Ts>...> keys_;
  HashCompare compare_;
  entry** buckets_ = nullptr;
  std::size_t room_ = 0;  // a power of two, or 0
  std::size_t size_ = 0;
  entry* free_ = nullptr;
  entry* first_ = nullptr;  // complete
  entry** last_ = &first_;
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
