// SPDX-License-Identifier: Apache-2.0
// How a container of thread-local objects makes a new one: by the default constructor, a function, a copy of an
// exemplar or constructor arguments. Several threads may make objects at the same time.
#pragma once

#include <ashlar/base/config.h>

#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename T>
class element_maker {
 public:
  virtual ~element_maker() = default;
  virtual void make(void* place) const = 0;
  virtual element_maker* clone() const = 0;
};

template <typename T, typename Function>
class function_maker final : public element_maker<T> {
 public:
  template <typename F>
  function_maker(std::in_place_t, F&& f) : function_(std::forward<F>(f)) {}
  void make(void* place) const override { ::new (place) T(function_()); }
  element_maker<T>* clone() const override {
    if constexpr (std::is_copy_constructible_v<Function>) {
      return new function_maker(*this);
    } else {
      return nullptr;  // never reached: a container of such a function can't be copied, see owned_maker
    }
  }

 private:
  Function mutable function_;
};

template <typename T, typename... Args>
class arguments_maker final : public element_maker<T> {
 public:
  template <typename... Given>
  explicit arguments_maker(std::in_place_t, Given&&... given) : arguments_(std::forward<Given>(given)...) {}
  void make(void* place) const override {
    std::apply([place](Args const&... args) { ::new (place) T(args...); }, arguments_);
  }
  element_maker<T>* clone() const override { return new arguments_maker(*this); }

 private:
  std::tuple<Args...> arguments_;
};

/// The default constructor when it is null.
template <typename T>
class owned_maker {
 public:
  owned_maker() noexcept = default;
  explicit owned_maker(element_maker<T>* m) noexcept : maker_(m) {}
  owned_maker(owned_maker const& other) : maker_(other.maker_ ? other.maker_->clone() : nullptr) {}
  owned_maker(owned_maker&& other) noexcept : maker_(std::exchange(other.maker_, nullptr)) {}
  owned_maker& operator=(owned_maker other) noexcept {
    std::swap(maker_, other.maker_);
    return *this;
  }
  ~owned_maker() { delete maker_; }

  void make(void* place) const {
    if (maker_ != nullptr) {
      maker_->make(place);
    } else if constexpr (std::is_default_constructible_v<T>) {
      ::new (place) T();
    }
  }

 private:
  element_maker<T>* maker_ = nullptr;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
