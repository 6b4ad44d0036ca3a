// SPDX-License-Identifier: Apache-2.0
// The process, as Windows tells of it (os/process.h). It has no fork, and no rights that its user lacks.
#pragma once

#include "os/windows/system.h"

#include <ntsecapi.h>

#include <cstddef>
#include <cstdlib>

namespace ashlar {
inline namespace v1 {
namespace os {

inline int process_id() noexcept { return static_cast<int>(::GetCurrentProcessId()); }
inline void write_error(char const* text, std::size_t length) noexcept {
  DWORD written = 0;
  ::WriteFile(::GetStdHandle(STD_ERROR_HANDLE), text, static_cast<DWORD>(length), &written, nullptr);
}
inline char** environment_entries() noexcept { return _environ; }
inline char const* trusted_variable(char const* name) noexcept { return std::getenv(name); }
inline bool random_bytes(void* to, std::size_t bytes) noexcept {
  return ::RtlGenRandom(to, static_cast<ULONG>(bytes)) != 0;
}
inline bool call_at_fork(void (*)(), void (*)(), void (*)()) noexcept { return true; }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
