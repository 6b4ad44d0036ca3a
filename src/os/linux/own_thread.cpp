// SPDX-License-Identifier: Apache-2.0
// What Linux tells of threads.
#include "os/pages.h"
#include "os/thread.h"
#include "os/thread_parts.h"

#include <link.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>

// The dynamic section of the module that this is linked into; a static program has none.
extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak));

namespace ashlar::inline v1::os {
namespace {

// The main thread without the parse of /proc/self/maps that pthread_getattr_np does. The kernel puts the path
// of the program, then one null word, at the very top of the stack, and keeps at least 128 MB free below it
// when it lays out the process; a larger limit may not be usable in full.
stack_bounds main_stack() noexcept {
  constexpr rlim_t gap = rlim_t{128} << 20;
  rlimit limit{};
  auto const path = ::getauxval(AT_EXECFN);
  if (path == 0 || ::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > gap) return {};
  std::uintptr_t const page = page_size();
  std::uintptr_t const end = path + std::strlen(reinterpret_cast<char const*>(path)) + 1 + sizeof(void*);
  std::uintptr_t const high = (end + page - 1) / page * page;
  auto const here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here >= high || high - here > limit.rlim_cur) return {};  // an emulator or a fiber: ask the slow way
  return {reinterpret_cast<char*>(high - limit.rlim_cur), reinterpret_cast<char*>(high)};
}

}  // namespace

void name_own_thread(char const* name) noexcept { ::pthread_setname_np(::pthread_self(), name); }

// As the shared libraries are linked: with -z nodelete.
bool is_kept_by_loader() noexcept {
  if (_DYNAMIC == nullptr) return false;
  for (ElfW(Dyn) const* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FLAGS_1) return (entry->d_un.d_val & DF_1_NODELETE) != 0;
  }
  return false;
}

// Its headers lie in its first page.
bool is_program(void const* base) noexcept {
  return reinterpret_cast<std::uintptr_t>(base) == ::getauxval(AT_PHDR) / page_size() * page_size();
}

stack_bounds current_stack() noexcept {
  if (thread_id() == ::getpid()) {
    stack_bounds const quick = main_stack();
    if (quick.high != nullptr) return quick;
  }
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  std::size_t size = 0;
  bool const known = ::pthread_attr_getstack(&attributes, &low, &size) == 0;
  ::pthread_attr_destroy(&attributes);
  if (!known) return {};
  return {static_cast<char*>(low), static_cast<char*>(low) + size};
}

int thread_id() noexcept { return static_cast<int>(::syscall(SYS_gettid)); }

void wait_until_gone(int thread) noexcept {
  constexpr unsigned yields = 100, sleeps = 10000;
  constexpr std::uint64_t pause = 100'000;
  for (unsigned i = 0; i < yields + sleeps && ::syscall(SYS_tgkill, ::getpid(), thread, 0) == 0; ++i) {
    i < yields ? yield() : sleep_ns(pause);
  }
}

}  // namespace ashlar::inline v1::os
