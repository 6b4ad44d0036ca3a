// SPDX-License-Identifier: Apache-2.0
// Allocators that are equal if their numbers are.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace test {

// Propagates: a container that is assigned by a move takes the other one's allocator, too.
template <typename T, bool Propagates = false>
struct numbered_allocator {
  using value_type = T;
  using is_always_equal = std::false_type;
  using propagate_on_container_move_assignment = std::bool_constant<Propagates>;
  template <typename U>
  struct rebind {
    using other = numbered_allocator<U, Propagates>;
  };

  explicit numbered_allocator(int n) noexcept : number(n) {}
  template <typename U>
  numbered_allocator(numbered_allocator<U, Propagates> const& other) noexcept : number(other.number) {}  // NOLINT
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) noexcept { std::allocator<T>().deallocate(p, n); }
  template <typename U>
  bool operator==(numbered_allocator<U, Propagates> const& other) const noexcept {
    return number == other.number;
  }
  template <typename U>
  bool operator!=(numbered_allocator<U, Propagates> const& other) const noexcept {
    return number != other.number;
  }

  int number;
};

}  // namespace test
