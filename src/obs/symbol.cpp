// SPDX-License-Identifier: Apache-2.0
#include "obs/symbol.h"

#include "obs/elf_file.h"
#include "obs/user_name.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

namespace ashlar::inline v1::obs {

symbol symbol_at(void const* address) {
  symbol result;
  Dl_info about{};
  void* more = nullptr;
  if (dladdr1(address, &about, &more, RTLD_DL_LINKMAP) == 0 || more == nullptr) return result;
  auto const& module = *static_cast<link_map const*>(more);
  bool const program = module.l_name == nullptr || *module.l_name == '\0';
  char own[256] = "";
  if (program) {
    ssize_t const n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
  }
  char const* const path = program ? own : module.l_name;
  char const* const slash = std::strrchr(path, '/');
  result.file = slash != nullptr ? slash + 1 : path;
  result.offset = reinterpret_cast<std::uintptr_t>(address) - module.l_addr;
  elf_file const in(program ? "/proc/self/exe" : path);
  std::string mangled(in.name_at(result.offset));
  if (mangled.empty() && about.dli_sname != nullptr) mangled = about.dli_sname;
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
