// SPDX-License-Identifier: Apache-2.0
// What FreeBSD tells of threads.
#include "os/thread.h"
#include "os/thread_parts.h"

#include <sys/types.h>

#include <link.h>
#include <pthread_np.h>
#include <sys/thr.h>

namespace ashlar::inline v1::os {

void name_own_thread(char const* name) noexcept { ::pthread_set_name_np(::pthread_self(), name); }

bool is_kept_by_loader() noexcept { return false; }

// The loader's list begins with the program.
bool is_program(void const* base) noexcept {
  void const* program = nullptr;
  auto const first = [](dl_phdr_info* info, std::size_t, void* found) {
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
      auto const& part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      *static_cast<void const**>(found) = reinterpret_cast<void const*>(info->dlpi_addr + part.p_vaddr);
      return 1;
    }
    return 1;
  };
  ::dl_iterate_phdr(first, &program);
  return base == program;
}

stack_bounds current_stack() noexcept {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return {};
  void* low = nullptr;
  std::size_t size = 0;
  bool const known = ::pthread_attr_get_np(::pthread_self(), &attributes) == 0 &&
                     ::pthread_attr_getstack(&attributes, &low, &size) == 0;
  ::pthread_attr_destroy(&attributes);
  if (!known) return {};
  return {static_cast<char*>(low), static_cast<char*>(low) + size};
}

int thread_id() noexcept { return ::pthread_getthreadid_np(); }

void wait_until_gone(int thread) noexcept {
  constexpr unsigned yields = 100, sleeps = 10000;
  constexpr std::uint64_t pause = 100'000;
  for (unsigned i = 0; i < yields + sleeps && ::thr_kill(thread, 0) == 0; ++i) {
    i < yields ? yield() : sleep_ns(pause);
  }
}

}  // namespace ashlar::inline v1::os
