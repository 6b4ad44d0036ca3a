// SPDX-License-Identifier: Apache-2.0
// The C++ classes of tbb/scalable_allocator.h.
#pragma once

#include <ashlar/alloc/allocator_base.h>
#include <ashlar/alloc/scalable_malloc.h>
#include <ashlar/base/interface.h>

// As classic TBB: the memory resource is there for programs that have included <memory_resource> before.
#if !ASHLAR_CLASSIC_DIALECT || defined(_GLIBCXX_MEMORY_RESOURCE) || defined(_LIBCPP_MEMORY_RESOURCE)
#include <memory_resource>
#endif

namespace tbb {

/// Allocator for containers, on scalable_malloc. Throws std::bad_alloc without memory. All objects are equal. Types
/// with an alignment above 16 are aligned.
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
    void* const p =
        alignof(T) > 16 ? ::scalable_aligned_malloc(bytes ? bytes : 1, alignof(T)) : ::scalable_malloc(bytes);
    if (p == nullptr) {
      ::ashlar::alloc::throw_bad_alloc();
    }
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) noexcept { ::scalable_free(p); }
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

#if !ASHLAR_CLASSIC_DIALECT || defined(_GLIBCXX_MEMORY_RESOURCE) || defined(_LIBCPP_MEMORY_RESOURCE)
namespace ashlar {
inline namespace v1 {
namespace alloc {

class scalable_resource final : public std::pmr::memory_resource {
 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const p = ::scalable_aligned_malloc(bytes ? bytes : 1, alignment);
    if (p == nullptr) {
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

/// The scalable allocator as a memory resource; the one object of the process, never destroyed.
inline std::pmr::memory_resource* scalable_memory_resource() noexcept {
  alignas(::ashlar::alloc::scalable_resource) static unsigned char storage[sizeof(::ashlar::alloc::scalable_resource)];
  static auto* const resource = ::new (static_cast<void*>(storage))::ashlar::alloc::scalable_resource;
  return resource;
}

}  // namespace tbb
#endif
