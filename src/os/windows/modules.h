// SPDX-License-Identifier: Apache-2.0
// Modules of Windows (os/modules.h).
#pragma once

#include "os/windows/system.h"

#include <psapi.h>

#include <cstddef>

namespace ashlar {
inline namespace v1 {
namespace os {

inline void* find_function_in(void* module, char const* name) noexcept {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(module), name));
}
inline void* find_function(char const* name) noexcept {
  HMODULE modules[512];
  DWORD bytes = 0;
  if (::K32EnumProcessModules(::GetCurrentProcess(), modules, sizeof modules, &bytes) == 0) return nullptr;
  std::size_t const count = bytes < sizeof modules ? bytes / sizeof modules[0] : sizeof modules / sizeof modules[0];
  for (std::size_t i = 0; i < count; ++i) {
    if (void* const found = find_function_in(modules[i], name)) return found;
  }
  return nullptr;
}
inline void* load_library(char const* file) noexcept { return ::LoadLibraryA(file); }
inline char const* file_of(void const* address) noexcept {
  static thread_local char path[MAX_PATH];
  HMODULE module = nullptr;
  DWORD const by_address = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (::GetModuleHandleExA(by_address, static_cast<char const*>(address), &module) == 0) return nullptr;
  DWORD const length = ::GetModuleFileNameA(module, path, sizeof path);
  return length != 0 && length < sizeof path ? path : nullptr;
}
inline bool file_exists(char const* path) noexcept { return ::GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES; }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
