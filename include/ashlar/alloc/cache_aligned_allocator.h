// SPDX-License-Identifier: Apache-2.0
// The class template behind tbb/cache_aligned_allocator.h, which documents it; apart from the memory resource because
// the containers, whose default it is, need not pay for <memory_resource> (half of the compile time of such a header).
#pragma once

#include <ashlar/alloc/allocator_base.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/os/memory.h>

namespace tbb {

template <typename T>
class cache_aligned_allocator : public ::ashlar::alloc::allocator_types<T> {
 public:
  template <typename U>
  struct rebind {
    using other = cache_aligned_allocator<U>;
  };

  cache_aligned_allocator() noexcept = default;
  cache_aligned_allocator(cache_aligned_allocator const&) noexcept = default;
  cache_aligned_allocator& operator=(cache_aligned_allocator const&) noexcept = default;
  template <typename U>
  cache_aligned_allocator(cache_aligned_allocator<U> const&) noexcept {}  // NOLINT: implicit, as allocators are

  [[nodiscard]] T* allocate(std::size_t n, void const* = nullptr) {
    return static_cast<T*>(::ashlar::allocate_cache_aligned(::ashlar::alloc::checked_bytes<T>(n)));
  }
  void deallocate(T* p, std::size_t) noexcept { ::ashlar::deallocate_cache_aligned(p); }
  std::size_t max_size() const noexcept { return (~std::size_t{0} - ::ashlar::no_sharing) / sizeof(T); }
};

template <>
class cache_aligned_allocator<void> : public ::ashlar::alloc::allocator_types<void> {
 public:
  template <typename U>
  struct rebind {
    using other = cache_aligned_allocator<U>;
  };
  cache_aligned_allocator() noexcept = default;
  template <typename U>
  cache_aligned_allocator(cache_aligned_allocator<U> const&) noexcept {}  // NOLINT: implicit
};

template <typename T, typename U>
bool operator==(cache_aligned_allocator<T> const&, cache_aligned_allocator<U> const&) noexcept {
  return true;
}
template <typename T, typename U>
bool operator!=(cache_aligned_allocator<T> const&, cache_aligned_allocator<U> const&) noexcept {
  return false;
}

}  // namespace tbb
