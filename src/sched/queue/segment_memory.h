// SPDX-License-Identifier: Apache-2.0
// Memory for the segments of arenas' queues. What is given back is kept for the next, for all arenas: a program that
// enqueues as much as before allocates nothing, and more than the process keeps has no use for it.
//
// Ordering   [KS1] segment given back -> [KS2] taken (nobody uses it any more)
#pragma once

#include <ashlar/base/atomic.h>
#include <ashlar/sync/segmented_queue.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// All segments have one size. In the child of a fork one may be lost to a thread that is gone.
struct segment_memory : sync::heap_memory {
  void* allocate(std::size_t bytes, std::size_t alignment) {
    for (atomic<void*>& place : kept) {
      if (place.load(mo::relaxed) == nullptr) continue;
      if (void* const p = place.exchange(nullptr, mo::acquire)) return p;  // [KS2]
    }
    return sync::heap_memory::allocate(bytes, alignment);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    for (atomic<void*>& place : kept) {
      void* nothing = nullptr;
      if (place.load(mo::relaxed) != nullptr) continue;
      if (place.compare_exchange(nothing, p, mo::release, mo::relaxed)) return;  // [KS1]
    }
    sync::heap_memory::deallocate(p, bytes, alignment);
  }

 private:
  static constexpr std::size_t most = 64;  // 40 KB; room for 4000 jobs
  static inline constinit atomic<void*> kept[most] = {};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
