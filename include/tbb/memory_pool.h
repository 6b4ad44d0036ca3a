// SPDX-License-Identifier: Apache-2.0
// Memory pools: objects allocated from memory that the user supplies, freed one by one or all at once.
//
//  memory_pool<Alloc>               raw memory comes from an allocator
//  fixed_pool                       from one buffer, which is never grown
//  memory_pool_allocator<T, Pool>   an allocator for containers, from a pool
//
// Any thread may allocate and free. recycle() and the destructor must not run beside other calls for the same pool.
// Constructors throw std::runtime_error if the pool can't be made. Link with TBB::tbbmalloc.
#pragma once

#include <ashlar/alloc/allocator_base.h>
#include <ashlar/alloc/pool_interface.h>
#include <ashlar/base/interface.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <type_traits>

namespace tbb {

/// What the pool classes have in common.
class pool_base {
 public:
  pool_base(pool_base const&) = delete;
  pool_base& operator=(pool_base const&) = delete;

  /// Frees all objects of the pool; their destructors are not called.
  void recycle() { rml::pool_reset(pool_); }
  /// As std::malloc, realloc and free; null without memory.
  void* malloc(std::size_t size) { return rml::pool_malloc(pool_, size); }
  void free(void* p) { rml::pool_free(pool_, p); }
  void* realloc(void* p, std::size_t size) { return rml::pool_realloc(pool_, p, size); }

 protected:
  pool_base() = default;
  ~pool_base() = default;

  void create(rml::MemPoolPolicy const& policy) {
    if (rml::pool_create_v1(reinterpret_cast<std::intptr_t>(this), &policy, &pool_) != rml::POOL_OK) {
#if ASHLAR_EXCEPTIONS
      throw std::runtime_error("Can't create pool");
#else
      std::terminate();
#endif
    }
  }
  void destroy() { rml::pool_destroy(pool_); }

  rml::MemoryPool* pool_ = nullptr;
};

/// Objects of T from `pool`, which must live as long as they do. Equal when the pools are the same.
ASHLAR_HOME(6)

template <typename T, typename Pool = pool_base>
class memory_pool_allocator {
 public:
  using value_type = T;
  using pointer = T*;
  using const_pointer = T const*;
  using reference = std::add_lvalue_reference_t<T>;
  using const_reference = std::add_lvalue_reference_t<T const>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pool_type = Pool;
  template <typename U>
  struct rebind {
    using other = memory_pool_allocator<U, Pool>;
  };

  explicit memory_pool_allocator(pool_type& pool) noexcept : pool_(&pool) {}
  memory_pool_allocator(memory_pool_allocator const&) noexcept = default;
  memory_pool_allocator& operator=(memory_pool_allocator const&) noexcept = default;
  template <typename U>
  memory_pool_allocator(memory_pool_allocator<U, Pool> const& other) noexcept : pool_(other.pool()) {}  // NOLINT

  [[nodiscard]] T* allocate(std::size_t n, void const* = nullptr) {
    void* const p = pool_->malloc(::ashlar::alloc::checked_bytes<T>(n));
    if (p == nullptr) {
      ::ashlar::alloc::throw_bad_alloc();
    }
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) noexcept { pool_->free(p); }

  pointer address(T& x) const noexcept { return std::addressof(x); }
  const_pointer address(T const& x) const noexcept { return std::addressof(x); }
  size_type max_size() const noexcept { return ~size_type{0} / sizeof(T) ? ~size_type{0} / sizeof(T) : 1; }
  template <typename U, typename... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  void destroy(T* p) { p->~T(); }

  pool_type* pool() const noexcept { return pool_; }

 private:
  pool_type* pool_;
};

template <typename Pool>
class memory_pool_allocator<void, Pool> {
 public:
  using value_type = void;
  using pointer = void*;
  using const_pointer = void const*;
  using pool_type = Pool;
  template <typename U>
  struct rebind {
    using other = memory_pool_allocator<U, Pool>;
  };
  explicit memory_pool_allocator(pool_type& pool) noexcept : pool_(&pool) {}
  template <typename U>
  memory_pool_allocator(memory_pool_allocator<U, Pool> const& other) noexcept : pool_(other.pool()) {}  // NOLINT
  pool_type* pool() const noexcept { return pool_; }

 private:
  pool_type* pool_;
};

template <typename T, typename U, typename Pool>
bool operator==(memory_pool_allocator<T, Pool> const& a, memory_pool_allocator<U, Pool> const& b) noexcept {
  return a.pool() == b.pool();
}
template <typename T, typename U, typename Pool>
bool operator!=(memory_pool_allocator<T, Pool> const& a, memory_pool_allocator<U, Pool> const& b) noexcept {
  return a.pool() != b.pool();
}

/// A pool that grows by what `Alloc`, an allocator of any element type (its allocate() may return void*), allocates.
/// Memory goes back to it when the pool ends or when a whole region becomes free.
template <typename Alloc>
class memory_pool : public pool_base {
 public:
  explicit memory_pool(Alloc const& source = Alloc()) : source_(source) {
    create(rml::MemPoolPolicy(take, give, sizeof(element)));
  }
  ~memory_pool() { destroy(); }

 private:
  using traits = std::allocator_traits<Alloc>;
  using element = typename traits::value_type;

  static void* take(std::intptr_t id, std::size_t& bytes) {
    memory_pool& self = *reinterpret_cast<memory_pool*>(id);
#if ASHLAR_EXCEPTIONS
    try {
      return self.source_.allocate(bytes / sizeof(element));
    } catch (...) {
      return nullptr;
    }
#else
    return self.source_.allocate(bytes / sizeof(element));
#endif
  }
  static int give(std::intptr_t id, void* raw, std::size_t bytes) {
    memory_pool& self = *reinterpret_cast<memory_pool*>(id);
    self.source_.deallocate(static_cast<element*>(raw), bytes / sizeof(element));
    return 0;
  }

  Alloc source_;
};

/// A pool inside a buffer, which must outlive it. Throws std::invalid_argument for an empty one.
class fixed_pool : public pool_base {
 public:
  fixed_pool(void* buffer, std::size_t size) : buffer_(buffer), size_(size) {
    if (buffer == nullptr || !size) {
#if ASHLAR_EXCEPTIONS
      throw std::invalid_argument("Zero in parameter is invalid");
#else
      std::terminate();
#endif
    }
    create(rml::MemPoolPolicy(take, nullptr, size, true));
  }
  ~fixed_pool() { destroy(); }

 private:
  static void* take(std::intptr_t id, std::size_t& bytes) {
    fixed_pool& self = *reinterpret_cast<fixed_pool*>(id);
    bytes = self.size_;
    self.size_ = 0;
    return bytes ? self.buffer_ : nullptr;
  }

  void* buffer_;
  std::size_t size_;
};

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(6, fixed_pool)
ASHLAR_KNOWN_IN(6, memory_pool)
ASHLAR_KNOWN_IN(6, memory_pool_allocator)

}  // namespace tbb

#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/scalable_allocator.h>
#include <stdexcept>
#endif
