// SPDX-License-Identifier: Apache-2.0
// The two limits of the queuing locks (their headers explain lists and open locks): how long a waiter spins before it
// sleeps, and how long a thread may overtake waiters that sleep.
#pragma once

#include <ashlar/base/atomic.h>

#ifndef ASHLAR_MODEL
#include "os/clock.h"

#include <ashlar/os/tuning.h>
#endif

namespace ashlar {
inline namespace v1 {
namespace sync {

// Being handed a lock while spinning costs one cache line's way between two processors; but a waiter that spins for a
// lock whose holder has lost its processor may be the one that occupies it.
class patience {
 public:
  // Pauses; false when it is time to sleep.
  bool spin() noexcept {
    if (n_ >= most) return false;
    ++n_;
    cpu_pause();
    return true;
  }

 private:
#ifdef ASHLAR_MODEL
  static constexpr int most = 0;
#else
  static constexpr int most = 100;
#endif
  int n_ = 0;
};

// A head that was woken may need this thread's processor, which the kernel would give it at the next tick, some ms
// later. So a thread that has overtaken for as long as a wake-up takes queues up, and thereby frees the processor.
class overtaking {
 public:
  // False: the calling thread has overtaken the waiters of this lock for long enough.
  bool allowed(void const* lock) noexcept {
#ifdef ASHLAR_MODEL
    return lock != nullptr;
#else
    if (lock_ != lock) {
      lock_ = lock;
      count_ = 0;
      since_ = os::ticks();
      return true;
    }
    if (++count_ % look_every != 0 || os::ticks() - since_ < os::tuned.lock_overtaking) return true;
    lock_ = nullptr;
    return false;
#endif
  }
  void end() noexcept { lock_ = nullptr; }

 private:
  static constexpr std::uint32_t look_every = 16;

  void const* lock_ = nullptr;
  std::uint64_t since_ = 0;
  std::uint32_t count_ = 0;
};

#ifdef ASHLAR_MODEL
inline overtaking my_overtaking;
#else
inline thread_local ASHLAR_INITIAL_EXEC overtaking my_overtaking;
#endif

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
