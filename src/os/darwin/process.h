// SPDX-License-Identifier: Apache-2.0
// The environment, which a library of macOS finds by a call only (os/process.h).
#pragma once

#include <crt_externs.h>

namespace ashlar {
inline namespace v1 {
namespace os {

inline char** environment_entries() noexcept { return *::_NSGetEnviron(); }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
