// SPDX-License-Identifier: Apache-2.0
// Where another thread of this process is, told by that thread in a signal handler, without a debugger.
#pragma once

#include <cstdint>

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace os {

struct thread_place {
  static constexpr int most = 32;
  void* frames[most];  // the innermost first, without the handler's
  int count = 0;
  // Of all registers that code computes with. Two places with the same innermost frame and state: nothing but memory
  // can have changed between.
  std::uint64_t state = 0;
};

// The thread is interrupted by SIGCONT, which does nothing to a running process and whose action is restored. A system
// call that it is in goes on where the kernel allows that (SA_RESTART); poll, nanosleep and their like return EINTR
// (signal(7)). The handler calls backtrace(), which takes no lock with glibc 2.35 and later. False if the thread
// doesn't answer within half a second: it is gone, or blocks the signal. One caller at a time.
bool locate_thread(int thread, thread_place& place) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
