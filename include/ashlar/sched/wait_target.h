// SPDX-License-Identifier: Apache-2.0
// What a thread of the scheduler waits for, and how it is woken.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// What a thread waits for. `done` may be called by the waiting thread only; `announce` (optional) publishes that
// the waiter is about to sleep and returns false if there is nothing to wait for any more; `address` is the key that
// the completing thread passes to wake_waiters().
struct wait_target {
  bool (*done)(wait_target const&) noexcept;
  bool (*announce)(wait_target const&) noexcept;
  void const* address;
  void const* object = nullptr;                        // for done and announce
  atomic<std::uint32_t> const* thief = nullptr;        // index of the slot that runs what is waited for, if known
  char const* what = "work that another thread took";  // for the hang report
};

// The value of `thief` as long as nobody runs it.
inline constexpr std::uint32_t no_thief = ~0u;

// Wakes the threads that sleep in slot::wait for this address. The address is only a key: what lay there may be gone.
ASHLAR_EXPORT void wake_waiters(void const* address) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
