// SPDX-License-Identifier: Apache-2.0
// The process, as macOS and FreeBSD tell of it (os/process.h).
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace ashlar {
inline namespace v1 {
namespace os {

inline char const* trusted_variable(char const* name) noexcept {
  return ::issetugid() == 0 ? std::getenv(name) : nullptr;
}
inline bool random_bytes(void* to, std::size_t bytes) noexcept {
  ::arc4random_buf(to, bytes);
  return true;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
