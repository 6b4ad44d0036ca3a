// SPDX-License-Identifier: Apache-2.0
// std::invoke without the cost of <functional>: calls a function object, or a pointer to a member of the first
// argument ([func.require]).
#pragma once

#include <ashlar/base/config.h>

#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {

// An object, because a function would be overloaded with those of the same name that lie beside the program's types,
// wherever it is called without its namespace.
struct invoke_function {
  template <typename F, typename First, typename... Rest>
  ASHLAR_ALWAYS_INLINE decltype(auto) operator()(F&& f, First&& first, Rest&&... rest) const {
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
  ASHLAR_ALWAYS_INLINE decltype(auto) operator()(F&& f) const {
    return std::forward<F>(f)();
  }
};
inline constexpr invoke_function invoke{};

}  // namespace v1
}  // namespace ashlar
