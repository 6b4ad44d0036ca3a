// SPDX-License-Identifier: Apache-2.0
// What the algorithms ask of iterators and containers, as traits that work from C++17 on. <array> declares
// iterator_traits and std::begin at a fifth of what <iterator> costs, which the full headers bring anyway.
#pragma once

#if ASHLAR_LEAN_HEADERS
#include <array>
#else
#include <iterator>
#endif
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// False where iterator_traits<It> is empty.
template <typename It, typename = void>
inline constexpr bool is_iterator = false;
template <typename It>
inline constexpr bool is_iterator<It, std::void_t<typename std::iterator_traits<It>::iterator_category>> = true;

template <typename It, typename Tag, bool = is_iterator<It>>
inline constexpr bool has_category = false;
template <typename It, typename Tag>
inline constexpr bool has_category<It, Tag, true> =
    std::is_convertible_v<typename std::iterator_traits<It>::iterator_category, Tag>;

template <typename It>
inline constexpr bool is_input_iterator = has_category<It, std::input_iterator_tag>;
template <typename It>
inline constexpr bool is_forward_iterator = has_category<It, std::forward_iterator_tag>;
template <typename It>
inline constexpr bool is_random_access_iterator = has_category<It, std::random_access_iterator_tag>;

template <typename It>
using value_of = typename std::iterator_traits<It>::value_type;
template <typename It>
using reference_of = typename std::iterator_traits<It>::reference;

/// std::begin(c), for an expression of type C.
template <typename C>
using begin_of = decltype(std::begin(std::declval<C&>()));

/// C has begin and end of one iterator type.
template <typename C, typename = void>
inline constexpr bool is_sequence = false;
template <typename C>
inline constexpr bool is_sequence<C, std::void_t<begin_of<C>, decltype(std::end(std::declval<C&>()))>> =
    is_input_iterator<begin_of<C>>;

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
