// SPDX-License-Identifier: Apache-2.0
// Of os/modules.h, what every system with dlsym() has.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

namespace ashlar {
inline namespace v1 {
namespace os {

inline void* find_function(char const* name) noexcept { return ::dlsym(RTLD_DEFAULT, name); }
inline void* find_function_in(void* module, char const* name) noexcept { return ::dlsym(module, name); }
inline void* load_library(char const* file) noexcept { return ::dlopen(file, RTLD_NOW | RTLD_LOCAL); }
inline char const* file_of(void const* address) noexcept {
  Dl_info about{};
  return ::dladdr(address, &about) != 0 ? about.dli_fname : nullptr;
}
inline bool file_exists(char const* path) noexcept { return ::access(path, F_OK) == 0; }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
