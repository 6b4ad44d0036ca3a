// SPDX-License-Identifier: Apache-2.0
// Of os/process.h, what POSIX doesn't have.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace ashlar {
inline namespace v1 {
namespace os {

inline char** environment_entries() noexcept { return ::environ; }
inline char const* trusted_variable(char const* name) noexcept { return ::secure_getenv(name); }
// By its number: the C library has had the function since glibc 2.25 only.
inline bool random_bytes(void* to, std::size_t bytes) noexcept {
  return ::syscall(SYS_getrandom, to, bytes, 0) == static_cast<long>(bytes);
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
