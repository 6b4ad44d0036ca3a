// SPDX-License-Identifier: Apache-2.0
// The environment (os/process.h), which no header of FreeBSD declares.
#pragma once

extern "C" char** environ;

namespace ashlar {
inline namespace v1 {
namespace os {

inline char** environment_entries() noexcept { return environ; }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
