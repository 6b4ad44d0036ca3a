// SPDX-License-Identifier: Apache-2.0
// Which heap belongs to which thread. A thread gets a heap at its first allocation and leaves it when it ends, after
// the destructors of its thread-local objects; a thread that allocates even later borrows a heap for the single
// operation.
//
// Around fork the registry's and the backend's locks are held. In the child the heaps of threads that are gone are
// given up as they are, because fork does not copy the memory of running threads at one instant.
#pragma once

#include "alloc/heap.h"

namespace ashlar {
inline namespace v1 {
namespace alloc {

// The calling thread's heap. Never null, so that the fast paths need no test.
extern constinit thread_local heap* current_heap ASHLAR_INITIAL_EXEC;

// The calling thread's heap for the duration of one slow operation; get() is null if there is no memory for one.
class heap_use {
 public:
  heap_use() noexcept : heap_(current_heap) {
    if (ASHLAR_UNLIKELY(heap_ == &no_heap)) {
      heap_ = attach(borrowed_);
    }
  }
  ~heap_use() {
    if (ASHLAR_UNLIKELY(borrowed_)) {
      leave_borrowed(heap_);
    }
  }
  heap_use(heap_use const&) = delete;
  heap_use& operator=(heap_use const&) = delete;
  heap* get() const noexcept { return heap_; }

 private:
  static heap* attach(bool& borrowed) noexcept;
  static void leave_borrowed(heap* h) noexcept;

  heap* heap_;
  bool borrowed_ = false;
};

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
