// SPDX-License-Identifier: Apache-2.0
// The modules of FreeBSD.
#include "os/modules.h"

#include <sys/types.h>

#include <dlfcn.h>
#include <link.h>
#include <sys/sysctl.h>

namespace ashlar::inline v1::os {

namespace {

struct visit {
  void (*take)(char const* file, std::uintptr_t begin, void* context);
  void* context;
  bool first = true;
};

// The program comes first, and by its name.
int visit_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& to = *static_cast<visit*>(data);
  to.take(to.first || info->dlpi_name == nullptr ? "" : info->dlpi_name, info->dlpi_addr, to.context);
  to.first = false;
  return 0;
}

struct search {
  std::uintptr_t at;
  module_place* found;
  bool first = true;
};

int look_into(dl_phdr_info* info, std::size_t, void* data) {
  auto& wanted = *static_cast<search*>(data);
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    auto const& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || wanted.at - info->dlpi_addr - part.p_vaddr >= part.p_memsz) continue;
    wanted.found->file = wanted.first || info->dlpi_name == nullptr ? "" : info->dlpi_name;
    wanted.found->begin = info->dlpi_addr;
    return 1;
  }
  wanted.first = false;
  return 0;
}

}  // namespace

bool find_module(void const* address, module_place& place) noexcept {
  search what{reinterpret_cast<std::uintptr_t>(address), &place};
  if (::dl_iterate_phdr(look_into, &what) == 0) return false;
  Dl_info about{};
  place.nearest = ::dladdr(address, &about) != 0 ? about.dli_sname : nullptr;
  return true;
}

void for_each_module(void (*take)(char const* file, std::uintptr_t begin, void* context), void* context) noexcept {
  visit to{take, context};
  ::dl_iterate_phdr(visit_module, &to);
}

void program_path(char* to, std::size_t room) noexcept {
  int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1};
  std::size_t length = room;
  if (::sysctl(name, 4, to, &length, nullptr, 0) != 0) length = 0;
  to[length < room ? length : room - 1] = '\0';
}

char const* program_file() noexcept {
  static char path[1024];
  program_path(path, sizeof path);
  return path;
}

// The loader's list has a lock, which a signal handler must not wait for.
bool find_code(std::uintptr_t, code_place&) noexcept { return false; }

}  // namespace ashlar::inline v1::os
