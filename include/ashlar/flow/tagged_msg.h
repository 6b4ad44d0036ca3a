// SPDX-License-Identifier: Apache-2.0
// tbb::flow::tagged_msg: a message of one of several types. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/message.h>
#include <ashlar/flow/type_identity.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// A value of one of the types Ts, with a tag. Without a value as long as nothing was assigned.
template <typename Tag, typename... Ts>
class tagged_msg {
  using identity = ::ashlar::flow::type_identity;
  static constexpr std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }
  static constexpr std::size_t most(std::initializer_list<std::size_t> of) {
    std::size_t n = 1;
    for (std::size_t const x : of) n = larger(n, x);
    return n;
  }
  struct kind {
    void (*copy)(void const* from, void* to);
    void (*move)(void* from, void* to);
    void (*end)(void*) noexcept;
    identity type;
  };
  template <typename T>
  struct of {
    static void copy(void const* from, void* to) {
      if constexpr (std::is_copy_constructible_v<T>) {
        ::new (to) T(*static_cast<T const*>(from));
      } else {
        ::ashlar::flow::throw_not_copyable();
      }
    }
    static void move(void* from, void* to) { ::new (to) T(std::move(*static_cast<T*>(from))); }
    static void end(void* at) noexcept { static_cast<T*>(at)->~T(); }
    static constexpr kind value{&copy, &move, &end, identity::of<T>()};
  };

 public:
  using tag_type = Tag;

  tagged_msg() noexcept {}  // NOLINT: a const one may be default-initialized
  template <typename T, typename R, typename = std::enable_if_t<(std::is_same_v<std::decay_t<R>, Ts> || ...)>>
  tagged_msg(T const& t, R&& v) : tag_(t), kind_(&of<std::decay_t<R>>::value) {
    ::new (static_cast<void*>(place_)) std::decay_t<R>(std::forward<R>(v));
  }
  tagged_msg(tagged_msg const& o) : tag_(o.tag_), kind_(o.kind_) {
    if (kind_ != nullptr) kind_->copy(o.place_, place_);
  }
  tagged_msg(tagged_msg&& o) : tag_(o.tag_), kind_(o.kind_) {
    if (kind_ != nullptr) kind_->move(o.place_, place_);
  }
  tagged_msg& operator=(tagged_msg o) {
    if (kind_ != nullptr) std::exchange(kind_, nullptr)->end(place_);
    tag_ = o.tag_;
    if (o.kind_ != nullptr) o.kind_->move(o.place_, place_);
    kind_ = o.kind_;
    return *this;
  }
  ~tagged_msg() {
    if (kind_ != nullptr) kind_->end(place_);
  }

  Tag tag() const { return tag_; }
  // Nothing was assigned.
  bool is_default_constructed() const noexcept { return kind_ == nullptr; }
  template <typename V>
  bool is_a() const noexcept {
    return kind_ != nullptr && kind_->type == identity::of<V>();
  }
  // Throws std::runtime_error if the value has another type.
  template <typename V>
  V const& cast_to() const {
    if (!is_a<V>()) {
      ::ashlar::flow::throw_bad_tagged_msg_cast(kind_ != nullptr ? kind_->type.info() : nullptr,
                                                identity::of<V>().info());
    }
    return *std::launder(reinterpret_cast<V const*>(place_));
  }

 private:
  Tag tag_{};
  kind const* kind_ = nullptr;
  alignas(most({alignof(Ts)...})) unsigned char place_[most({sizeof(Ts)...})];
};

template <typename V, typename Tag, typename... Ts>
V const& cast_to(tagged_msg<Tag, Ts...> const& m) {
  return m.template cast_to<V>();
}
template <typename V, typename Tag, typename... Ts>
bool is_a(tagged_msg<Tag, Ts...> const& m) {
  return m.template is_a<V>();
}

ASHLAR_FLOW_HOME_END
ASHLAR_FLOW_KNOWN_IN(11, tagged_msg)
ASHLAR_FLOW_KNOWN_IN(11, cast_to)
ASHLAR_FLOW_KNOWN_IN(11, is_a)
}  // namespace flow
}  // namespace tbb
