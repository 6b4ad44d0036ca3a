// SPDX-License-Identifier: Apache-2.0
#include "obs/symbol.h"

#include "obs/user_name.h"
#include "os/image_file.h"
#include "os/modules.h"

#include <cstring>

namespace ashlar::inline v1::obs {

symbol symbol_at(void const* address) {
  symbol result;
  os::module_place module;
  if (!os::find_module(address, module)) return result;
  bool const program = *module.file == '\0';
  char own[256] = "";
  if (program) os::program_path(own, sizeof own);
  char const* const path = program ? own : module.file;
  char const* const slash = std::strrchr(path, '/');
  result.file = slash != nullptr ? slash + 1 : path;
  result.offset = reinterpret_cast<std::uintptr_t>(address) - module.begin;
  os::image_file const in(program ? os::program_file() : path);
  std::string mangled(in.name_at(result.offset));
  if (mangled.empty() && module.nearest != nullptr) mangled = module.nearest;
  if (!mangled.empty()) result.name = demangled(mangled);
  return result;
}

bool is_of_library(symbol const& s) {
  for (char const* const system : {"libc.so", "libstdc++.so", "libc++.so", "libpthread.so", "libgcc_s.so", "ld-linux",
                                   "libm.so", "libtbb", "linux-vdso"}) {
    if (s.file.compare(0, std::strlen(system), system) == 0) return true;
  }
  if (s.name.empty()) return false;
  std::string const own = user_part(s.name);
  // Without an argument list: what _start and its like are in a statically linked program.
  if (own.find('(') == std::string::npos && own.compare(0, 1, "_") == 0) return true;
  for (char const* const space : {"ashlar::", "tbb::", "oneapi::", "std::", "__gnu_cxx::", "__pstl::", "parallel_"}) {
    if (own.compare(0, std::strlen(space), space) == 0) return true;
  }
  return s.name != own;  // the library's code around the user's function
}

}  // namespace ashlar::inline v1::obs
