// SPDX-License-Identifier: Apache-2.0
// An allocator that counts its blocks, may be unequal to another, and fails when the program says so.
#pragma once

#include "values.h"

#include <new>
#include <type_traits>

namespace differ {

inline std::atomic<long> blocks{0};
inline std::atomic<int> allocations_left{-1};  // until one fails; never when negative

// Equal to those with its number. Traits: 1 propagates on copy assignment, 2 on move assignment, 4 on swap.
template <typename T, int Traits = 0>
struct memory {
  using value_type = T;
  using propagate_on_container_copy_assignment = std::bool_constant<(Traits & 1) != 0>;
  using propagate_on_container_move_assignment = std::bool_constant<(Traits & 2) != 0>;
  using propagate_on_container_swap = std::bool_constant<(Traits & 4) != 0>;
  using is_always_equal = std::false_type;
  template <typename U>
  struct rebind {
    using other = memory<U, Traits>;
  };

  memory() = default;
  explicit memory(int n) : number(n) {}
  template <typename U>
  memory(memory<U, Traits> const& other) : number(other.number) {}  // NOLINT: implicit
  T* allocate(std::size_t n) {
    if (allocations_left.load() >= 0 && allocations_left-- == 0) throw std::bad_alloc();
    T* const made = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
    ++blocks;
    return made;
  }
  void deallocate(T* p, std::size_t) {
    --blocks;
    ::operator delete(p, std::align_val_t(alignof(T)));
  }
  int number = 0;
};

template <typename T, typename U, int Traits>
bool operator==(memory<T, Traits> const& a, memory<U, Traits> const& b) {
  return a.number == b.number;
}
template <typename T, typename U, int Traits>
bool operator!=(memory<T, Traits> const& a, memory<U, Traits> const& b) {
  return a.number != b.number;
}

}  // namespace differ
