// SPDX-License-Identifier: Apache-2.0
// The C++ classes of tbb/scalable_allocator.h.
#pragma once

#include <ashlar/alloc/scalable_malloc.h>
#include <ashlar/base/config.h>
#include <ashlar/base/version.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace alloc {

// libtbbmalloc works without libtbb, so the exception is thrown here.
[[noreturn]] inline void throw_bad_alloc() {
#if ASHLAR_EXCEPTIONS
  throw std::bad_alloc();
#else
  std::terminate();
#endif
}

// The members that C++17 allocators inherited from C++98 and C++20 took away; classic TBB programs call them.
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

  pointer address(reference x) const noexcept { return std::addressof(x); }
  const_pointer address(const_reference x) const noexcept { return std::addressof(x); }
  // The largest count for which allocate might succeed.
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

// Bytes of n objects; throws std::bad_alloc when they can't be counted.
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

namespace tbb {

// Allocator for containers, on scalable_malloc. Throws std::bad_alloc without memory. All objects are equal. Types
// with an alignment above 16 are aligned.
template <typename T>
class scalable_allocator : public ::ashlar::alloc::allocator_types<T> {
 public:
  template <typename U>
  struct rebind {
    using other = scalable_allocator<U>;
  };

  scalable_allocator() noexcept = default;
  scalable_allocator(scalable_allocator const&) noexcept = default;
  scalable_allocator& operator=(scalable_allocator const&) noexcept = default;
  template <typename U>
  scalable_allocator(scalable_allocator<U> const&) noexcept {}  // NOLINT: implicit, as allocators are

  [[nodiscard]] T* allocate(std::size_t n, void const* = nullptr) {
    std::size_t const bytes = ::ashlar::alloc::checked_bytes<T>(n);
    void* const p = alignof(T) > 16 ? scalable_aligned_malloc(bytes ? bytes : 1, alignof(T)) : scalable_malloc(bytes);
    if (!p) {
      ::ashlar::alloc::throw_bad_alloc();
    }
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) noexcept { scalable_free(p); }
};

template <>
class scalable_allocator<void> : public ::ashlar::alloc::allocator_types<void> {
 public:
  template <typename U>
  struct rebind {
    using other = scalable_allocator<U>;
  };
  scalable_allocator() noexcept = default;
  template <typename U>
  scalable_allocator(scalable_allocator<U> const&) noexcept {}  // NOLINT: implicit
};

template <typename T, typename U>
bool operator==(scalable_allocator<T> const&, scalable_allocator<U> const&) noexcept {
  return true;
}
template <typename T, typename U>
bool operator!=(scalable_allocator<T> const&, scalable_allocator<U> const&) noexcept {
  return false;
}

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace alloc {

class scalable_resource final : public std::pmr::memory_resource {
 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const p = scalable_aligned_malloc(bytes ? bytes : 1, alignment);
    if (!p) {
      throw_bad_alloc();
    }
    return p;
  }
  void do_deallocate(void* p, std::size_t, std::size_t) override { scalable_free(p); }
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
#if defined(__cpp_rtti)
    return this == &other || dynamic_cast<scalable_resource const*>(&other) != nullptr;
#else
    return this == &other;
#endif
  }
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar

namespace tbb {

// The scalable allocator as a memory resource; the one object of the process, never destroyed.
inline std::pmr::memory_resource* scalable_memory_resource() noexcept {
  alignas(::ashlar::alloc::scalable_resource) static unsigned char storage[sizeof(::ashlar::alloc::scalable_resource)];
  static auto* const resource = ::new (static_cast<void*>(storage)) ::ashlar::alloc::scalable_resource;
  return resource;
}

}  // namespace tbb
