// SPDX-License-Identifier: Apache-2.0
// What the allocator classes have in common.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace alloc {

/// libtbbmalloc works without libtbb, so the exception is thrown here.
[[noreturn]] inline void throw_bad_alloc() {
#if ASHLAR_EXCEPTIONS
  throw std::bad_alloc();
#else
  std::terminate();
#endif
}

/// The members that C++17 allocators inherited from C++98 and C++20 took away; classic TBB programs call them.
template <typename T>
struct allocator_types {
  using value_type = T;
  using pointer = T*;
  using const_pointer = T const*;
  using reference = T&;
  using const_reference = T const&;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;

  pointer address(reference x) const noexcept { return __builtin_addressof(x); }
  const_pointer address(const_reference x) const noexcept { return __builtin_addressof(x); }
  /// The largest count for which allocate might succeed.
  size_type max_size() const noexcept {
    size_type const most = ~size_type{0} / sizeof(T);
    return most ? most : 1;
  }
  template <typename U, typename... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  template <typename U>
  void destroy(U* p) {
    p->~U();
  }
};
template <>
struct allocator_types<void> {
  using value_type = void;
  using pointer = void*;
  using const_pointer = void const*;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;
};

/// Bytes of n objects; throws std::bad_alloc when they can't be counted.
template <typename T>
std::size_t checked_bytes(std::size_t n) {
  if (n > ~std::size_t{0} / sizeof(T)) {
    throw_bad_alloc();
  }
  return n * sizeof(T);
}

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
