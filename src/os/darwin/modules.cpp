// SPDX-License-Identifier: Apache-2.0
// The images of macOS.
#include "os/modules.h"

#include <dlfcn.h>
#include <mach-o/dyld.h>

#include <cstring>

namespace ashlar::inline v1::os {

namespace {

// Image 0 is the program.
bool is_program(void const* begin) noexcept { return begin == ::_dyld_get_image_header(0); }

}  // namespace

bool find_module(void const* address, module_place& place) noexcept {
  Dl_info about{};
  if (::dladdr(address, &about) == 0) return false;
  place.file = is_program(about.dli_fbase) ? "" : about.dli_fname;
  place.begin = reinterpret_cast<std::uintptr_t>(about.dli_fbase);
  place.nearest = about.dli_sname;
  return true;
}

void for_each_module(void (*take)(char const* file, std::uintptr_t begin, void* context), void* context) noexcept {
  std::uint32_t const images = ::_dyld_image_count();
  for (std::uint32_t i = 0; i < images; ++i) {
    // Null: it has been unloaded meanwhile.
    char const* const file = i != 0 ? ::_dyld_get_image_name(i) : "";
    if (file != nullptr) take(file, reinterpret_cast<std::uintptr_t>(::_dyld_get_image_header(i)), context);
  }
}

void program_path(char* to, std::size_t room) noexcept {
  char const* const name = ::_dyld_get_image_name(0);
  std::size_t const length = name != nullptr ? ::strnlen(name, room - 1) : 0;
  std::memcpy(to, name, length);
  to[length] = '\0';
}

char const* program_file() noexcept { return ::_dyld_get_image_name(0); }

// dyld may hold a lock, which a signal handler must not wait for.
bool find_code(std::uintptr_t, code_place&) noexcept { return false; }

}  // namespace ashlar::inline v1::os
