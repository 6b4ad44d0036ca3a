// SPDX-License-Identifier: Apache-2.0
// The modules of the process, its program and its libraries: finding a function by name, loading, and what lies where.
// Any thread may call. The functions that say 'inline' serve the allocator, too, which links nothing of this layer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// Inline: the address of the function in the whole process; null if there is none.
void* find_function(char const* name) noexcept;
// Inline: the same in a loaded module.
void* find_function_in(void* module, char const* name) noexcept;
// Inline: the library, which stays loaded; null if it can't be.
void* load_library(char const* file) noexcept;
// Inline: the file that the address lies in, as it was loaded; null if the system doesn't know it.
char const* file_of(void const* address) noexcept;
// Inline.
bool file_exists(char const* path) noexcept;

// The module of an address. `file` and `nearest` last as long as it is loaded.
struct module_place {
  char const* file = nullptr;     // empty: the program
  std::uintptr_t begin = 0;       // what an address in its image is counted from
  char const* nearest = nullptr;  // the mangled name of the exported function that the address lies in; may be null
};
// False: it lies in none.
bool find_module(void const* address, module_place& place) noexcept;
// Calls take(file, begin, context) for each module, with an empty file for the program.
void for_each_module(void (*take)(char const* file, std::uintptr_t begin, void* context), void* context) noexcept;

// The path of the program that runs, cut off where the room ends; empty if the system doesn't tell.
void program_path(char* to, std::size_t room) noexcept;
// A name under which the running program's file can be opened, whatever has become of its path.
char const* program_file() noexcept;

// Where code stands in its file.
struct code_place {
  char path[512] = {};
  std::uintptr_t offset = 0;
};
// False: in no file. Async-signal-safe.
bool find_code(std::uintptr_t code, code_place& place) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar

#if defined(_WIN32)
#include "os/windows/modules.h"
#else
#include "os/posix/modules.h"
#endif
