// SPDX-License-Identifier: Apache-2.0
// The clocks of Windows.
#include "os/clock.h"

#include "os/windows/system.h"

namespace ashlar::inline v1::os {

namespace {

std::uint64_t cpu_ns(HANDLE thread) noexcept {
  FILETIME created, ended, kernel, user;
  if (::GetThreadTimes(thread, &created, &ended, &kernel, &user) == 0) return 0;
  auto const ns = [](FILETIME t) {
    return (static_cast<std::uint64_t>(t.dwHighDateTime) << 32 | t.dwLowDateTime) * 100;
  };
  return ns(kernel) + ns(user);
}

std::uint64_t counts_per_s() noexcept {
  LARGE_INTEGER rate;
  ::QueryPerformanceFrequency(&rate);
  return static_cast<std::uint64_t>(rate.QuadPart);
}

}  // namespace

std::uint64_t now_ns() noexcept {
  static std::uint64_t const rate = counts_per_s();
  LARGE_INTEGER now;
  ::QueryPerformanceCounter(&now);
  auto const counts = static_cast<std::uint64_t>(now.QuadPart);
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
  return counts / rate * ns_per_s + counts % rate * ns_per_s / rate;
}
std::uint64_t raw_ns() noexcept { return now_ns(); }
std::uint64_t thread_cpu_ns() noexcept { return cpu_ns(::GetCurrentThread()); }

cpu_clock own_cpu_clock() noexcept { return {::GetCurrentThreadId()}; }

std::uint64_t read_cpu_clock(cpu_clock clock) noexcept {
  HANDLE const thread = ::OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(clock.number));
  if (thread == nullptr) return 0;
  std::uint64_t const ns = cpu_ns(thread);
  ::CloseHandle(thread);
  return ns;
}

}  // namespace ashlar::inline v1::os
