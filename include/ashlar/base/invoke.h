// SPDX-License-Identifier: Apache-2.0
// std::invoke without the cost of <functional>: calls a function object, or a pointer to a member of the first
// argument ([func.require]).
#pragma once

#include <ashlar/base/config.h>

#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {

template <typename F, typename First, typename... Rest>
ASHLAR_ALWAYS_INLINE decltype(auto) invoke(F&& f, First&& first, Rest&&... rest) {
  using function = std::decay_t<F>;
  if constexpr (std::is_member_function_pointer_v<function>) {
    if constexpr (std::is_pointer_v<std::decay_t<First>>) {
      return (first->*f)(std::forward<Rest>(rest)...);
    } else {
      return (std::forward<First>(first).*f)(std::forward<Rest>(rest)...);
    }
  } else if constexpr (std::is_member_object_pointer_v<function>) {
    static_assert(sizeof...(Rest) == 0, "a member object pointer takes the object only");
    if constexpr (std::is_pointer_v<std::decay_t<First>>) {
      return (first->*f);
    } else {
      return (std::forward<First>(first).*f);
    }
  } else {
    return std::forward<F>(f)(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
}

template <typename F>
ASHLAR_ALWAYS_INLINE decltype(auto) invoke(F&& f) {
  return std::forward<F>(f)();
}

}  // namespace v1
}  // namespace ashlar
