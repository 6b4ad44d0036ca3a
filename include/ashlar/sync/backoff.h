// SPDX-License-Identifier: Apache-2.0
// How a thread waits for another one that is expected to be ready within a microsecond: pauses that grow, then
// the processor is offered to others. Used where the other thread is between two instructions of a protocol, so
// that sleeping would cost more than the wait.
#pragma once

#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {
namespace sync {

#ifdef ASHLAR_MODEL
inline void yield_thread() noexcept { cpu_pause(); }
#else
/// Lets another ready thread run on this processor (one system call).
ASHLAR_EXPORT ASHLAR_COLD void yield_thread() noexcept;
#endif

/// After a lost race for a word: lets the winner keep its cache line for some more instructions.
inline void yield_line() noexcept {
#ifndef ASHLAR_MODEL
  cpu_pause();
#endif
}

/// One object per wait, on the stack of the waiting thread.
template <int MostPauses, int Growth>
class basic_backoff {
 public:
  /// Waits a little longer than the last time, and yields once that would be more than MostPauses pauses.
  void pause() noexcept {
    if (ASHLAR_LIKELY(pauses_ <= most_pauses)) {
      spin(pauses_);
      pauses_ *= Growth;
    } else {
      yield_thread();
    }
  }
  /// As pause(), but false, at once, where pause() would yield.
  bool pause_unless_yield() noexcept {
    if (pauses_ > most_pauses) return false;
    spin(pauses_);
    pauses_ *= Growth;
    return true;
  }
  void reset() noexcept { pauses_ = 1; }

 private:
#ifdef ASHLAR_MODEL
  static constexpr int most_pauses = 0;
#else
  static constexpr int most_pauses = MostPauses;
#endif
  static void spin(int n) noexcept {
    for (int i = 0; i < n; ++i) cpu_pause();
  }

  int pauses_ = 1;
};
using backoff = basic_backoff<16, 2>;
/// For locks that never sleep: a holder that is left alone passes through several short sections.
using lock_backoff = basic_backoff<81, 3>;

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
