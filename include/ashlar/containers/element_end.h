// SPDX-License-Identifier: Apache-2.0
// Whether a container may leave elements where they are instead of having the allocator destroy them one by one. It may
// if their destructor does nothing and the allocator has no destroy() of its own, which could count.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace alloc {
template <typename T>
struct allocator_types;
}  // namespace alloc

namespace containers {

// destroy() as the library's allocators inherit it.
template <typename Allocator, typename T, typename = void>
inline constexpr bool has_librarys_destroy = false;
template <typename Allocator, typename T>
inline constexpr bool has_librarys_destroy<Allocator, T, std::void_t<decltype(&Allocator::template destroy<T>)>> =
    std::is_same_v<decltype(&Allocator::template destroy<T>),
                   void (alloc::allocator_types<typename Allocator::value_type>::*)(T*)>;

template <typename Allocator, typename T, typename = void>
inline constexpr bool has_own_destroy = false;
template <typename Allocator, typename T>
inline constexpr bool
    has_own_destroy<Allocator, T, std::void_t<decltype(std::declval<Allocator&>().destroy(std::declval<T*>()))>> =
        !std::is_same_v<Allocator, std::allocator<typename Allocator::value_type>> &&
        !has_librarys_destroy<Allocator, T>;

template <typename Allocator, typename T>
inline constexpr bool ends_unnoticed = std::is_trivially_destructible_v<T> && !has_own_destroy<Allocator, T>;

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
