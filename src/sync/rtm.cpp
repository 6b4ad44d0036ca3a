// SPDX-License-Identifier: Apache-2.0
// Only these functions are compiled for RTM; they run on processors that report it.
#include <ashlar/sync/rtm.h>

#include "os/environment.h"

#include <ashlar/base/atomic.h>

#include <exception>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ashlar::inline v1::sync {
namespace {

bool detect() noexcept {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  bool const rtm_reported = (b >> 11 & 1) != 0;
  // The microcode of some processors aborts every transaction and says so here.
  bool const always_aborts = (d >> 11 & 1) != 0;
  return rtm_reported && !always_aborts && os::env_flag("ASHLAR_RTM", true);
#else
  return false;
#endif
}

enum class answer : unsigned char { unknown, yes, no };

}  // namespace

// Asked at the first use: to ask the processor takes a virtual machine 10 us.
bool rtm::available() noexcept {
  static atomic<answer> known{answer::unknown};
  answer a = known.load(mo::relaxed);
  if (ASHLAR_UNLIKELY(a == answer::unknown)) known.store(a = detect() ? answer::yes : answer::no, mo::relaxed);
  return a == answer::yes;
}

#if defined(__x86_64__)

__attribute__((target("rtm"))) rtm::outcome rtm::begin() noexcept {
  unsigned const status = __builtin_ia32_xbegin();
  constexpr unsigned started = ~0u;
  constexpr unsigned aborted_by_us = 1;
  constexpr unsigned may_retry = 2;
  constexpr unsigned conflict = 4;
  if (status == started) return outcome::running;
  return (status & (aborted_by_us | may_retry | conflict)) != 0 ? outcome::try_again : outcome::give_up;
}
__attribute__((target("rtm"))) void rtm::end() noexcept { __builtin_ia32_xend(); }
__attribute__((target("rtm"))) void rtm::abort() noexcept {
  __builtin_ia32_xabort(0x5a);
  __builtin_unreachable();
}

#else

rtm::outcome rtm::begin() noexcept { return outcome::give_up; }
void rtm::end() noexcept {}
void rtm::abort() noexcept { std::terminate(); }

#endif

}  // namespace ashlar::inline v1::sync
