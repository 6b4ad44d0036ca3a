// SPDX-License-Identifier: Apache-2.0
// cache_aligned_allocator<T>: memory that shares no cache line with any other allocation, so that threads that write
// neighbouring objects don't disturb each other. The price is 128 bytes at least per allocation. Throws std::bad_alloc.
//
// cache_aligned_resource: the same for polymorphic containers, on top of another memory resource.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/base/interface.h>
#include <ashlar/base/throw.h>
#include <ashlar/os/memory.h>

#include <cstdint>
// As classic TBB: cache_aligned_resource is there for programs that have included <memory_resource> before, as that
// header costs as much as all the rest.
#if !ASHLAR_CLASSIC_DIALECT || defined(_GLIBCXX_MEMORY_RESOURCE) || defined(_LIBCPP_MEMORY_RESOURCE)
#include <memory_resource>

namespace tbb {

/// Takes memory from `upstream` and gives out whole aligned lines of it; the upstream's own address is kept just
/// before the memory that is given out.
class cache_aligned_resource : public std::pmr::memory_resource {
 public:
  cache_aligned_resource() : cache_aligned_resource(std::pmr::get_default_resource()) {}
  explicit cache_aligned_resource(std::pmr::memory_resource* upstream) : upstream_(upstream) {}

  std::pmr::memory_resource* upstream_resource() const { return upstream_; }

 private:
  static std::size_t line(std::size_t alignment) {
    return alignment > ::ashlar::no_sharing ? alignment : ::ashlar::no_sharing;
  }
  // Whole lines, and room to align them and to keep the address.
  static std::size_t space(std::size_t bytes, std::size_t line) {
    if (bytes > ~std::size_t{0} - 3 * line) {
      ::ashlar::alloc::throw_bad_alloc();
    }
    return ((bytes + line - 1) & ~(line - 1)) + line + sizeof(void*);
  }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    std::size_t const l = line(alignment);
    void* const base = upstream_->allocate(space(bytes, l), alignof(void*));
    std::uintptr_t const first = reinterpret_cast<std::uintptr_t>(base) + sizeof(void*);
    void** const p = reinterpret_cast<void**>((first + l - 1) & ~(l - 1));
    p[-1] = base;
    return p;
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    if (p != nullptr) {
      upstream_->deallocate(static_cast<void**>(p)[-1], space(bytes, line(alignment)), alignof(void*));
    }
  }
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
    if (this == &other) {
      return true;
    }
#if defined(__cpp_rtti)
    auto const* const same = dynamic_cast<cache_aligned_resource const*>(&other);
    return same != nullptr && *upstream_ == *same->upstream_;
#else
    return false;
#endif
  }

  std::pmr::memory_resource* upstream_;
};

}  // namespace tbb
#endif

// Classic TBB's functions under the allocator.
namespace tbb {
namespace internal {
inline std::size_t NFS_GetLineSize() { return ::ashlar::no_sharing; }
inline void* NFS_Allocate(std::size_t count, std::size_t size, void* = nullptr) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) ::ashlar::throw_exception(::ashlar::exception_id::bad_alloc);
  return ::ashlar::allocate_cache_aligned(bytes);
}
inline void NFS_Free(void* p) { ::ashlar::deallocate_cache_aligned(p); }
}  // namespace internal
}  // namespace tbb

namespace tbb {
namespace detail {
namespace r1 {
inline namespace ashlar_v1 {
inline void* cache_aligned_allocate(std::size_t bytes) { return ::ashlar::allocate_cache_aligned(bytes); }
inline void cache_aligned_deallocate(void* p) { ::ashlar::deallocate_cache_aligned(p); }
}  // namespace ashlar_v1
}  // namespace r1
}  // namespace detail
}  // namespace tbb

#include <tbb/detail/closure/memory.h>
