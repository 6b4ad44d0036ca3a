// SPDX-License-Identifier: Apache-2.0
// The backtrace of another thread of this process, taken by that thread in a signal handler, without a debugger.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace os {

// Prints up to 24 frames of the thread to stderr: module, offset (for addr2line) and the exported symbol, if there is
// one. The thread is interrupted by SIGCONT, which does nothing to a running process and whose action is restored; a
// system call that it is in goes on where the kernel allows that (SA_RESTART). False, after a line that says so, if the
// thread doesn't answer within half a second: it is gone, or blocks the signal. One caller at a time.
bool print_backtrace(int thread) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
