// SPDX-License-Identifier: Apache-2.0
// Of os/process.h, what POSIX has.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace os {

inline int process_id() noexcept { return static_cast<int>(::getpid()); }
inline void write_error(char const* text, std::size_t length) noexcept {
  ssize_t const written = ::write(STDERR_FILENO, text, length);
  static_cast<void>(written);  // with stderr closed there is nobody to tell
}
inline bool call_at_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
  return ::pthread_atfork(prepare, parent, child) == 0;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
