// SPDX-License-Identifier: Apache-2.0
// A waiter in the list of a queuing lock (queuing_mutex.h, queuing_rw_mutex.h). It lies in the waiting thread's
// scoped_lock.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sync {

struct queuing_node {
  enum place : std::uint32_t { waiting, parked, head };

  /// The next waiter; while the lock is held: the one that has to be woken when it is released, or null.
  atomic<queuing_node*> next{nullptr};
  atomic<std::uint32_t> state{waiting};
};

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
