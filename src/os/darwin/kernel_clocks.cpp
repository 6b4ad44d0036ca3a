// SPDX-License-Identifier: Apache-2.0
// The clocks of macOS.
#include "os/clock.h"

#include <mach/mach.h>
#include <pthread.h>

#include <ctime>

namespace ashlar::inline v1::os {

// CLOCK_MONOTONIC is the one that goes on while the machine sleeps, and is set to the time of day's rate.
std::uint64_t now_ns() noexcept { return ::clock_gettime_nsec_np(CLOCK_MONOTONIC); }
std::uint64_t raw_ns() noexcept { return ::clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW); }
std::uint64_t thread_cpu_ns() noexcept { return ::clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID); }

cpu_clock own_cpu_clock() noexcept { return {::pthread_mach_thread_np(::pthread_self())}; }

std::uint64_t read_cpu_clock(cpu_clock clock) noexcept {
  thread_basic_info_data_t info{};
  mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
  auto const thread = static_cast<thread_act_t>(clock.number);
  if (::thread_info(thread, THREAD_BASIC_INFO, reinterpret_cast<thread_info_t>(&info), &count) != KERN_SUCCESS) {
    return 0;
  }
  auto const ns = [](time_value_t t) {
    return static_cast<std::uint64_t>(t.seconds) * 1'000'000'000u + static_cast<std::uint64_t>(t.microseconds) * 1000u;
  };
  return ns(info.user_time) + ns(info.system_time);
}

}  // namespace ashlar::inline v1::os
