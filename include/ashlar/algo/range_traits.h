// SPDX-License-Identifier: Apache-2.0
// What a type must offer to serve as the range of an algorithm, as traits that work from C++17 on.
//
// A Range R is copyable and destructible and has, for a constant r, r.empty() and r.is_divisible(), and a splitting
// constructor R(R& r, tbb::split) after which the new object and r together are what r was. It may have a
// constructor R(R& r, tbb::proportional_split) besides. Classic TBB asks for a static constant
// is_splittable_in_proportion that announces the latter, oneTBB looks for the constructor; here the constructor
// counts unless the constant is there and false.
#pragma once

#include <ashlar/base/split.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// r.empty() of a constant r, usable as a condition.
template <typename R, typename = void>
inline constexpr bool has_empty = false;
template <typename R>
inline constexpr bool has_empty<R, std::void_t<decltype(std::declval<R const&>().empty())>> =
    std::is_constructible_v<bool, decltype(std::declval<R const&>().empty())>;

/// r.is_divisible() of a constant r, usable as a condition.
template <typename R, typename = void>
inline constexpr bool has_is_divisible = false;
template <typename R>
inline constexpr bool has_is_divisible<R, std::void_t<decltype(std::declval<R const&>().is_divisible())>> =
    std::is_constructible_v<bool, decltype(std::declval<R const&>().is_divisible())>;

/// A constructor from (R&, tbb::split); for bodies of reductions too.
template <typename R>
inline constexpr bool is_splittable = std::is_constructible_v<R, std::add_lvalue_reference_t<R>, ::tbb::split>;

/// The classic constant; true where there is none.
template <typename R, typename = void>
inline constexpr bool admits_proportion = true;
template <typename R>
inline constexpr bool admits_proportion<R, std::void_t<decltype(static_cast<bool>(R::is_splittable_in_proportion))>> =
    static_cast<bool>(R::is_splittable_in_proportion);

/// Whether an algorithm splits an R by (R&, tbb::proportional_split) where it wants unequal parts.
template <typename R>
inline constexpr bool splits_in_proportion = admits_proportion<R> && is_proportionally_splittable<R>;

/// r.size() of a constant r, a number; and r.grainsize() besides.
template <typename R, typename = void>
inline constexpr bool has_size = false;
template <typename R>
inline constexpr bool has_size<R, std::void_t<decltype(std::declval<R const&>().size())>> =
    std::is_convertible_v<decltype(std::declval<R const&>().size()), std::size_t>;
template <typename R, typename = void>
inline constexpr bool has_grain = false;
template <typename R>
inline constexpr bool has_grain<R, std::void_t<decltype(std::declval<R const&>().grainsize())>> =
    has_size<R> && std::is_convertible_v<decltype(std::declval<R const&>().grainsize()), std::size_t>;

template <typename R>
inline constexpr bool is_range =
    std::is_copy_constructible_v<R> && has_empty<R> && has_is_divisible<R> && is_splittable<R>;

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
