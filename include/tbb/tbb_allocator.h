// SPDX-License-Identifier: Apache-2.0
// tbb_allocator<T>: the scalable allocator where libtbbmalloc is present, else malloc; allocator_type() tells which.
// It needs libtbb but not libtbbmalloc at link time. zero_allocator<T, A>: an allocator whose memory reads as zeroes.
// Both throw std::bad_alloc.
#pragma once

#include <ashlar/alloc/allocator_base.h>
#include <ashlar/base/interface.h>
#include <ashlar/os/memory.h>

#include <cstring>

namespace tbb {

template <typename T>
class tbb_allocator : public ::ashlar::alloc::allocator_types<T> {
 public:
  enum malloc_type { scalable, standard };
  template <typename U>
  struct rebind {
    using other = tbb_allocator<U>;
  };

  tbb_allocator() noexcept = default;
  tbb_allocator(tbb_allocator const&) noexcept = default;
  tbb_allocator& operator=(tbb_allocator const&) noexcept = default;
  template <typename U>
  tbb_allocator(tbb_allocator<U> const&) noexcept {}  // NOLINT: implicit, as allocators are

  [[nodiscard]] T* allocate(std::size_t n, void const* = nullptr) {
    std::size_t const bytes = ::ashlar::alloc::checked_bytes<T>(n);
    return static_cast<T*>(alignof(T) > 16 ? ::ashlar::allocate_cache_aligned(bytes)
                                           : ::ashlar::allocate_memory(bytes));
  }
  void deallocate(T* p, std::size_t) noexcept {
    if constexpr (alignof(T) > 16) {
      ::ashlar::deallocate_cache_aligned(p);
    } else {
      ::ashlar::deallocate_memory(p);
    }
  }
  /// Which allocator serves this process.
  static malloc_type allocator_type() noexcept { return ::ashlar::memory_is_scalable() ? scalable : standard; }
};

template <>
class tbb_allocator<void> : public ::ashlar::alloc::allocator_types<void> {
 public:
  template <typename U>
  struct rebind {
    using other = tbb_allocator<U>;
  };
  tbb_allocator() noexcept = default;
  template <typename U>
  tbb_allocator(tbb_allocator<U> const&) noexcept {}  // NOLINT: implicit
};

template <typename T, typename U>
bool operator==(tbb_allocator<T> const&, tbb_allocator<U> const&) noexcept {
  return true;
}
template <typename T, typename U>
bool operator!=(tbb_allocator<T> const&, tbb_allocator<U> const&) noexcept {
  return false;
}

/// Allocator<T> with zeroed memory. Equal when the underlying allocators are.
template <typename T, template <typename> class Allocator = tbb_allocator>
class zero_allocator : public Allocator<T> {
 public:
  using base_allocator_type = Allocator<T>;
  using value_type = T;
  template <typename U>
  struct rebind {
    using other = zero_allocator<U, Allocator>;
  };

  zero_allocator() noexcept = default;
  zero_allocator(zero_allocator const&) noexcept = default;
  zero_allocator& operator=(zero_allocator const&) noexcept = default;
  template <typename U>
  zero_allocator(zero_allocator<U, Allocator> const& other) noexcept  // NOLINT: implicit
      : Allocator<T>(static_cast<Allocator<U> const&>(other)) {}

  [[nodiscard]] T* allocate(std::size_t n, void const* = nullptr) {
    T* const p = Allocator<T>::allocate(n);
    std::memset(static_cast<void*>(p), 0, n * sizeof(T));
    return p;
  }
};

template <template <typename> class Allocator>
class zero_allocator<void, Allocator> : public Allocator<void> {
 public:
  using base_allocator_type = Allocator<void>;
  using value_type = void;
  template <typename U>
  struct rebind {
    using other = zero_allocator<U, Allocator>;
  };
  zero_allocator() noexcept = default;
  template <typename U>
  zero_allocator(zero_allocator<U, Allocator> const&) noexcept {}  // NOLINT: implicit
};

template <typename T, template <typename> class A, typename U, template <typename> class B>
bool operator==(zero_allocator<T, A> const& a, zero_allocator<U, B> const& b) noexcept {
  return static_cast<A<T> const&>(a) == static_cast<B<U> const&>(b);
}
template <typename T, template <typename> class A, typename U, template <typename> class B>
bool operator!=(zero_allocator<T, A> const& a, zero_allocator<U, B> const& b) noexcept {
  return !(a == b);
}

// Classic TBB's functions under the allocator.
namespace internal {
inline void* allocate_via_handler_v3(std::size_t bytes) { return ::ashlar::allocate_memory(bytes); }
inline void deallocate_via_handler_v3(void* p) { ::ashlar::deallocate_memory(p); }
inline bool is_malloc_used_v3() { return !::ashlar::memory_is_scalable(); }
}  // namespace internal

}  // namespace tbb

#include <tbb/detail/closure/memory.h>
#if !ASHLAR_LEAN_HEADERS
#include <cstring>
#endif
