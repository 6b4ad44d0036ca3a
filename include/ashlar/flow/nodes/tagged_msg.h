// SPDX-License-Identifier: Apache-2.0
// tbb::flow::tagged_msg: a message of one of several types. Users include <tbb/flow_graph.h>.
#pragma once

#include <ashlar/flow/engine/message.h>
#include <ashlar/flow/engine/type_identity.h>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tbb {
namespace flow {
ASHLAR_FLOW_HOME(11)

/// A value of one of the types Ts, which may be arrays, with a tag. Without a value as long as nothing was assigned.
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
    // Of an array: its elements, of all dimensions.
    using element = std::remove_all_extents_t<T>;
    static constexpr std::size_t count = sizeof(T) / sizeof(element);

    static void copy(void const* from, void* to) {
      if constexpr (std::is_copy_constructible_v<element>) {
        std::uninitialized_copy_n(static_cast<element const*>(from), count, static_cast<element*>(to));
      } else {
        ::ashlar::flow::throw_not_copyable();
      }
    }
    static void move(void* from, void* to) {
      std::uninitialized_move_n(static_cast<element*>(from), count, static_cast<element*>(to));
    }
    static void end(void* at) noexcept { std::destroy_n(static_cast<element*>(at), count); }
    // Of what a constructor is given.
    template <typename R>
    static void make(R&& v, void* to) {
      if constexpr (!std::is_array_v<T>) {
        ::new (to) T(std::forward<R>(v));
      } else if constexpr (std::is_lvalue_reference_v<R>) {
        copy(std::addressof(v), to);
      } else {
        move(std::addressof(v), to);
      }
    }
    static constexpr kind value{&copy, &move, &end, identity::of<T>()};
  };
  // The one of Ts that a value is kept as: an array, if it is one of them.
  template <typename R, typename Array = std::remove_cv_t<std::remove_reference_t<R>>>
  using kept = std::conditional_t<std::is_array_v<Array> && (std::is_same_v<Array, Ts> || ...), Array, std::decay_t<R>>;

 public:
  using tag_type = Tag;

  tagged_msg() noexcept {}  // NOLINT: a const one may be default-initialized
  template <typename T, typename R, typename = std::enable_if_t<(std::is_same_v<kept<R>, Ts> || ...)>>
  tagged_msg(T const& t, R&& v) : tag_(as_tag(t)), kind_(&of<kept<R>>::value) {
    of<kept<R>>::make(std::forward<R>(v), place_);
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
  void set_tag(Tag const& t) { tag_ = t; }
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
  // Without a warning of a conversion that the program has asked for, or of a cast to the same type.
  template <typename T>
  static Tag as_tag(T const& t) {
    if constexpr (std::is_same_v<T, Tag>) {
      return t;
    } else {
      return static_cast<Tag>(t);
    }
  }

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
