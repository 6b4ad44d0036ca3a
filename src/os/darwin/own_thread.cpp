// SPDX-License-Identifier: Apache-2.0
// What macOS tells of threads, whose numbers are the names of their ports.
#include "os/thread.h"
#include "os/thread_parts.h"

#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <pthread.h>

namespace ashlar::inline v1::os {

void name_own_thread(char const* name) noexcept { ::pthread_setname_np(name); }

bool is_kept_by_loader() noexcept { return false; }

bool is_program(void const* base) noexcept { return base == ::_dyld_get_image_header(0); }

stack_bounds current_stack() noexcept {
  auto* const high = static_cast<char*>(::pthread_get_stackaddr_np(::pthread_self()));
  return {high - ::pthread_get_stacksize_np(::pthread_self()), high};
}

int thread_id() noexcept { return static_cast<int>(::pthread_mach_thread_np(::pthread_self())); }

void wait_until_gone(int thread) noexcept {
  constexpr unsigned yields = 100, sleeps = 10000;
  constexpr std::uint64_t pause = 100'000;
  for (unsigned i = 0; i < yields + sleeps; ++i) {
    thread_basic_info_data_t info{};
    mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
    auto* const to = reinterpret_cast<thread_info_t>(&info);
    if (::thread_info(static_cast<thread_act_t>(thread), THREAD_BASIC_INFO, to, &count) != KERN_SUCCESS) return;
    i < yields ? yield() : sleep_ns(pause);
  }
}

}  // namespace ashlar::inline v1::os
