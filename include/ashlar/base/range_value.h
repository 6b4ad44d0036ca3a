// SPDX-License-Identifier: Apache-2.0
// What the blocked ranges ask of the type of their bounds, and the arithmetic on it: integers, pointers, iterators,
// and user types with < and - and +.
//
// The distance of two integers of a signed type may not fit into that type, so integers are computed with as
// unsigned ones; any two bounds of at most 64 bits are handled.
#pragma once

#include <ashlar/base/config.h>
#include <ashlar/base/split.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace range_value_detail {

template <typename V>
using difference = decltype(std::declval<V const&>() - std::declval<V const&>());

// Whether a + b, for a constant bound a, gives a bound.
template <typename V, typename Offset, typename = void>
inline constexpr bool can_add = false;
template <typename V, typename Offset>
inline constexpr bool can_add<V, Offset, std::void_t<decltype(std::declval<V const&>() + std::declval<Offset>())>> =
    std::is_convertible_v<decltype(std::declval<V const&>() + std::declval<Offset>()), V>;

template <typename V, typename = void>
inline constexpr bool has_arithmetic = false;
template <typename V>
inline constexpr bool
    has_arithmetic<V, std::void_t<decltype(std::declval<V const&>() < std::declval<V const&>()), difference<V>>> =
        std::is_constructible_v<bool, decltype(std::declval<V const&>() < std::declval<V const&>())> &&
        std::is_convertible_v<difference<V>, std::size_t> && (can_add<V, difference<V>> || can_add<V, std::size_t>);

template <typename V>
inline constexpr bool is_plain_integer = std::is_integral_v<V> && !std::is_same_v<std::remove_cv_t<V>, bool>;

// The type in which an offset is added to a bound.
template <typename V>
using offset =
    std::conditional_t<(std::is_arithmetic_v<difference<V>> && can_add<V, difference<V>>) || !can_add<V, std::size_t>,
                       difference<V>, std::size_t>;

}  // namespace range_value_detail

// True for types of which a blocked range may be made. Values must be copyable; with a, b constant, a < b tests the
// order, b - a is the distance as something that converts to size_t, and a + d is d steps after a, where d is a
// size_t or what b - a gives.
template <typename V>
inline constexpr bool is_range_value =
    std::is_object_v<V> && std::is_copy_constructible_v<V> && std::is_copy_assignable_v<V> &&
    std::is_move_constructible_v<V> && std::is_move_assignable_v<V> && range_value_detail::has_arithmetic<V>;

// The steps from `from` to `to`, which does not come before it.
template <typename V>
std::size_t value_distance(V const& from, V const& to) {
  if constexpr (range_value_detail::is_plain_integer<V>) {
    using bits = std::make_unsigned_t<V>;
    auto const steps = static_cast<bits>(static_cast<bits>(to) - static_cast<bits>(from));
    if constexpr (sizeof(bits) > sizeof(std::size_t)) {
      // Half of the largest size_t still lies inside: a split of such a range is valid, if not in the middle.
      constexpr std::size_t most = static_cast<std::size_t>(-1);
      return steps > most ? most : static_cast<std::size_t>(steps);
    } else {
      return steps;
    }
  } else {
    return static_cast<std::size_t>(to - from);
  }
}

// The value `steps` after `from`.
template <typename V>
V value_after(V const& from, std::size_t steps) {
  if constexpr (range_value_detail::is_plain_integer<V>) {
    using bits = std::make_unsigned_t<V>;
    return static_cast<V>(static_cast<bits>(static_cast<bits>(from) + static_cast<bits>(steps)));
  } else {
    return from + static_cast<range_value_detail::offset<V>>(steps);
  }
}

// The value in the middle, rounded towards `from`. Distances that can be halved but not made of a size_t are
// halved as they are.
template <typename V>
V value_middle(V const& from, V const& to) {
  if constexpr (!range_value_detail::is_plain_integer<V> &&
                !std::is_constructible_v<range_value_detail::offset<V>, std::size_t>) {
    return from + (to - from) / 2u;
  } else {
    return value_after(from, value_distance(from, to) / 2);
  }
}

// The share itself. Whole numbers where the product fits: they are exact, and cost half as many instructions.
inline std::size_t rounded_share(std::size_t size, std::size_t left, std::size_t right) noexcept {
  if (ASHLAR_LIKELY(((size | left | right) >> (4 * sizeof(std::size_t) - 1)) == 0)) {
    std::size_t const both = left + right;
    return both != 0 ? (size * right + both / 2) / both : size / 2;
  }
  if ((left | right) == 0) return size / 2;
  auto const whole = static_cast<double>(size), part = static_cast<double>(right);
  double const share = whole * (part / (static_cast<double>(left) + part)) + 0.5;
  return share < whole ? static_cast<std::size_t>(share) : size;
}

// How many of `size` steps the right part of a proportional split takes: its share, rounded. Where both shares are
// positive neither part is empty, if there are two steps to share. The result is exact below 2^31 steps.
inline std::size_t right_share(std::size_t size, ::tbb::proportional_split const& proportion) noexcept {
  std::size_t const left = proportion.left(), right = proportion.right();
  std::size_t part = rounded_share(size, left, right);
  if (size >= 2) {
    if (part == 0 && right > 0) part = 1;
    if (part == size && left > 0) part = size - 1;
  }
  return part;
}

}  // namespace v1
}  // namespace ashlar
