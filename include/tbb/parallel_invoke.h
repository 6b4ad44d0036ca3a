// SPDX-License-Identifier: Apache-2.0
// parallel_invoke: runs two or more functions, possibly in parallel.
#pragma once

#include <ashlar/algo/parallel_invoke.h>
#include <ashlar/base/interface.h>

#include <tuple>
#include <type_traits>

namespace tbb {

namespace parallel_invoke_detail {

template <typename T>
inline constexpr bool is_context = std::is_same_v<std::remove_reference_t<T>, task_group_context>;

template <typename... T>
using last_t = std::tuple_element_t<sizeof...(T) - 1, std::tuple<T...>>;

/// What a function may be.
template <typename F>
inline constexpr bool is_function = std::is_invocable_v<std::remove_reference_t<F> const&>;

/// Functions, and perhaps a context after them.
template <typename... Rest>
constexpr bool are_more_functions() {
  constexpr std::size_t functions = (std::size_t{0} + ... + std::size_t{is_function<Rest>});
  if constexpr (functions + 1 == sizeof...(Rest)) {
    return is_context<last_t<Rest...>>;
  } else {
    return functions == sizeof...(Rest);
  }
}

template <typename Tuple, std::size_t... At>
void run_with_context(Tuple const& arguments, std::index_sequence<At...>) {
  ashlar::algo::parallel_invoke(std::get<sizeof...(At)>(arguments), std::get<At>(arguments)...);
}

}  // namespace parallel_invoke_detail

/// Calls f0(), f1(), …, possibly in parallel, and returns when all calls have returned. The last argument may be a
/// task_group_context, which the calls then belong to; else they belong to a group of their own below the caller's.
///
/// The functions are called through const references, on this thread as far as no other one comes to help: in order, f0
/// first. If a function throws, the group is cancelled, functions that have not started are dropped, and the first
/// exception is rethrown when the others are over. Nothing is called if the group is cancelled already.
///
/// Cost: about two calls of an empty function for each function after the first, if nobody steals it.
template <typename F0, typename F1, typename... Rest>
ASHLAR_REQUIRES(parallel_invoke_detail::is_function<F0>&& parallel_invoke_detail::is_function<F1>&&
                    parallel_invoke_detail::are_more_functions<Rest...>())
ASHLAR_ALWAYS_INLINE void parallel_invoke(F0&& f0, F1&& f1, Rest&&... rest) {
  static_assert(parallel_invoke_detail::is_function<F0> && parallel_invoke_detail::is_function<F1> &&
                    parallel_invoke_detail::are_more_functions<Rest...>(),
                "parallel_invoke: each argument must be callable without arguments through a const reference; the last "
                "one may be a task_group_context");
  if constexpr (sizeof...(Rest) == 0) {
    ashlar::algo::parallel_invoke(f0, f1);
  } else if constexpr (parallel_invoke_detail::is_context<parallel_invoke_detail::last_t<Rest...>>) {
    parallel_invoke_detail::run_with_context(std::forward_as_tuple(f0, f1, rest...),
                                             std::make_index_sequence<1 + sizeof...(Rest)>());
  } else {
    ashlar::algo::parallel_invoke(f0, f1, rest...);
  }
}

#if ASHLAR_CONSTRAINED
template <typename F0, typename F1, typename... Rest>
void parallel_invoke(F0&&, F1&&, Rest&&...) = delete;  // needs functions without arguments, callable as constants
#endif

}  // namespace tbb

#include <tbb/detail/closure/tasks.h>
#if !ASHLAR_LEAN_HEADERS && !ASHLAR_CLASSIC_DIALECT
#include <tbb/task_group.h>
#endif
