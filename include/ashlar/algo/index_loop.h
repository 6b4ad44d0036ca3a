// SPDX-License-Identifier: Apache-2.0
// The index form of parallel_for: a body that turns iteration numbers into indices.
#pragma once

#include <ashlar/algo/iterations.h>
#include <ashlar/algo/parallel_for.h>
#include <ashlar/base/invoke.h>
#include <ashlar/base/range_value.h>

#include <limits>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// An index of the index form: the bound of a blocked range that can be made of an int.
template <typename Index>
inline constexpr bool is_loop_index = is_range_value<Index> && std::is_constructible_v<Index, int>;

/// The function of the index form. A pointer to a member of the index is one.
template <typename F, typename Index>
inline constexpr bool is_index_body = std::is_invocable_v<F const&, Index&>;

/// The steps from `from` to `to`. What lies between numbers may not fit a signed Index; in size_t arithmetic it does.
template <typename Index>
std::size_t index_distance(Index const& from, Index const& to) {
  if constexpr (std::is_arithmetic_v<Index>) {
    return static_cast<std::size_t>(to) - static_cast<std::size_t>(from);
  } else {
    return value_distance(from, to);
  }
}

template <typename Index, typename F>
class index_body {
 public:
  /// Of the indices below `last`.
  index_body(Index first, Index last, Index step, F const& f) noexcept
      : first_(first), step_(step), near_limit_(is_near_limit(last, step)), f_(f) {}

  void operator()(iterations const& r) const {
    if constexpr (is_integer) {
      // Compilers vectorise the loop once first_ and step_ are local, and know that the signed index does not overflow.
      Index const step = step_;
      std::size_t const begin = r.begin(), end = r.end();
      if (ASHLAR_UNLIKELY(near_limit_)) return run_near_limit(begin, end);
      Index index = at(begin);
      for (std::size_t i = begin; i < end; ++i, index = static_cast<Index>(index + step)) invoke(f_, index);
    } else if constexpr (std::is_arithmetic_v<Index>) {
      Index const step = step_;
      Index index = static_cast<Index>(first_ + static_cast<Index>(r.begin()) * step);
      for (std::size_t i = r.begin(), end = r.end(); i < end; ++i, index = static_cast<Index>(index + step)) {
        invoke(f_, index);
      }
    } else {
      std::size_t const step = algo::index_distance(static_cast<Index>(0), step_);
      for (std::size_t i = r.begin(), end = r.end(); i < end; ++i) {
        Index index = value_after(first_, i * step);
        invoke(f_, index);
      }
    }
  }
  F const& function() const noexcept { return f_; }

 private:
  static constexpr bool is_integer = std::is_integral_v<Index> && !std::is_same_v<Index, bool>;

  // The index of an iteration. What lies between may not fit a signed Index; in unsigned arithmetic it does.
  Index at(std::size_t i) const { return value_after(first_, i * index_distance(static_cast<Index>(0), step_)); }
  // Whether the index that would follow the last one may not fit the type.
  static bool is_near_limit(Index const& last, Index const& step) {
    if constexpr (is_integer) {
      std::size_t const beyond = index_distance(last, (std::numeric_limits<Index>::max)());
      return beyond < index_distance(static_cast<Index>(0), step) - 1;
    } else {
      return false;
    }
  }
  ASHLAR_COLD void run_near_limit(std::size_t i, std::size_t end) const {
    for (; i < end; ++i) {
      Index index = at(i);
      invoke(f_, index);
    }
  }

  Index const first_;
  Index const step_;
  bool const near_limit_;
  F const& f_;
};
template <typename Index, typename F>
struct hidden_target<index_body<Index, F>> : target_of_function<F> {};

/// Throws std::invalid_argument if step <= 0.
template <typename Index, typename F, typename... Rest>
void for_index(Index first, Index last, Index step, F const& f, Rest&&... partitioner_and_context) {
  static_assert(is_loop_index<Index> && is_index_body<F, Index>,
                "parallel_for: the body must be callable as body(index) through a const reference");
  if (!(static_cast<Index>(0) < step)) throw_exception(exception_id::nonpositive_step);
  if (!(first < last)) return;
  std::size_t const count =
      (algo::index_distance(first, last) - 1) / algo::index_distance(static_cast<Index>(0), step) + 1;
  index_body<Index, F> const body(first, last, step, f);
  algo::for_range(iterations(0, count), body, partitioner_and_context...);
}

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
