// SPDX-License-Identifier: Apache-2.0
// Modules of Windows, whose files don't tell names.
#include "os/modules.h"

namespace ashlar::inline v1::os {

bool find_module(void const* address, module_place& place) noexcept {
  MEMORY_BASIC_INFORMATION about{};
  char const* const file = file_of(address);
  if (file == nullptr || ::VirtualQuery(address, &about, sizeof about) == 0) return false;
  bool const program = about.AllocationBase == ::GetModuleHandleA(nullptr);
  place = {program ? "" : file, reinterpret_cast<std::uintptr_t>(about.AllocationBase), nullptr};
  return true;
}

void for_each_module(void (*take)(char const* file, std::uintptr_t begin, void* context), void* context) noexcept {
  HMODULE modules[512];
  DWORD bytes = 0;
  if (::K32EnumProcessModules(::GetCurrentProcess(), modules, sizeof modules, &bytes) == 0) return;
  std::size_t const count = bytes < sizeof modules ? bytes / sizeof modules[0] : sizeof modules / sizeof modules[0];
  for (std::size_t i = 0; i < count; ++i) {
    char path[MAX_PATH];
    DWORD const length = ::GetModuleFileNameA(modules[i], path, sizeof path);
    bool const program = modules[i] == ::GetModuleHandleA(nullptr);
    if (length != 0 && length < sizeof path) {
      take(program ? "" : path, reinterpret_cast<std::uintptr_t>(modules[i]), context);
    }
  }
}

void program_path(char* to, std::size_t room) noexcept {
  DWORD const length = ::GetModuleFileNameA(nullptr, to, static_cast<DWORD>(room));
  to[length < room ? length : room - 1] = '\0';
}

char const* program_file() noexcept {
  static char path[MAX_PATH];
  program_path(path, sizeof path);
  return path;
}

bool find_code(std::uintptr_t, code_place&) noexcept { return false; }

}  // namespace ashlar::inline v1::os
