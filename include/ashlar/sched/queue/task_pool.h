// SPDX-License-Identifier: Apache-2.0
// Small objects for tasks: per thread, one free list per multiple of 64 bytes. A block goes back to the pool it came
// from, whoever frees it, so a thread that only spawns and one that only executes reach a steady state.
//
// Threads    allocate and the local half of release: the owner. The remote half: anyone.
// Ordering   [T1] release by another thread: remote list release -> [T2] owner takes the list, acquire
// Cost       6 instructions a pair on the owner's side; 1 CAS for a remote release.
// Model      tests/model/task_pool_model.cpp
#pragma once

#include <new>

#include <ashlar/base/atomic.h>
#include <ashlar/base/cache_line.h>
#include <ashlar/base/tsan.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class task_pool {
 public:
  static constexpr std::size_t granule = 64;
  static constexpr std::size_t classes = 8;  // up to 512 bytes; larger objects come from operator new

  // Memory for an object of `size` bytes, aligned to 64. Throws std::bad_alloc. `home` receives the pool to give it
  // back to (null for a large object).
  ASHLAR_ALWAYS_INLINE void* allocate(std::size_t size, task_pool*& home) {
    std::size_t const c = (size - 1) / granule;
    if (ASHLAR_LIKELY(c < classes)) {
      home = this;
      void* b = try_allocate(size);
      if (ASHLAR_UNLIKELY(b == nullptr)) {
        b = refill(c);
        tsan::acquire(b);
      }
      return b;
    }
    home = nullptr;
    return allocate_large(size);
  }
  // The same of a free object that is at hand; else, and for large objects, null. It calls nothing, so that the caller
  // need not save registers for the rare case.
  ASHLAR_ALWAYS_INLINE void* try_allocate(std::size_t size) noexcept {
    std::size_t const c = (size - 1) / granule;
    block* const b = c < classes ? free_[c] : nullptr;
    if (ASHLAR_UNLIKELY(b == nullptr)) return nullptr;
    tsan::acquire(b);
    free_[c] = b->next;
    return b;
  }
  // Gives the object back to `home`. This pool is the calling thread's.
  ASHLAR_ALWAYS_INLINE void release(void* what, std::size_t size, task_pool* home) noexcept {
    tsan::release(what);
    if (ASHLAR_LIKELY(home == this)) {
      std::size_t const c = (size - 1) / granule;
      if (c >= classes) {
        __builtin_unreachable();  // no pool is a large object's home, which the compiler can't know
      }
      block* const b = static_cast<block*>(what);
      b->next = home->free_[c];
      home->free_[c] = b;
    } else {
      release_remote(what, size, home);
    }
  }

  // The same for a caller without a slot.
  static void release_from_outside(void* what, std::size_t size, task_pool* home) noexcept {
    release_remote(what, size, home);
  }

  // Pools are never freed: a pool whose thread has ended is handed to the next new thread.
  static task_pool& acquire();
  void abandon() noexcept;
  // Bytes taken from the system by all pools.
  static std::size_t footprint() noexcept;

 private:
  struct block {
    block* next;
    std::size_t size_class;  // valid on the remote list only
  };
  ASHLAR_EXPORT ASHLAR_COLD void* refill(std::size_t c);
  ASHLAR_EXPORT ASHLAR_NOINLINE static void release_remote(void* what, std::size_t size, task_pool* home) noexcept;
  ASHLAR_EXPORT static void* allocate_large(std::size_t size);
  bool take_remote() noexcept;

  block* free_[classes] = {};
  char* fresh_ = nullptr;  // uncarved rest of the current chunk
  char* fresh_end_ = nullptr;
  task_pool* next_ = nullptr;  // in the list of orphans
  alignas(no_sharing) atomic<block*> remote_{nullptr};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
