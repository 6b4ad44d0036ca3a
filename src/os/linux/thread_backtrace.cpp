// SPDX-License-Identifier: Apache-2.0
#include "os/thread_backtrace.h"

#include "os/backtrace_here.h"
#include "os/futex.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ashlar::inline v1::os {

namespace {

constexpr int handler_frames = 2;
void* frames[thread_place::most + handler_frames];
int count = 0;
std::uint64_t state = 0;
// The thread that is asked; then 0.
// [BT1] the handler: release, after the frames -> [BT2] locate_thread: acquire
atomic<std::uint32_t> asked{0};

std::uint64_t mix(std::uint64_t sum, void const* from, std::size_t bytes) noexcept {
  auto const* at = static_cast<unsigned char const*>(from);
  for (std::size_t i = 0; i < bytes; ++i) sum = (sum ^ at[i]) * 0x100000001b3u;
  return sum;
}

std::uint64_t register_state(ucontext_t const& of) noexcept {
  std::uint64_t sum = 0xcbf29ce484222325u;
#if defined(__x86_64__)
  // The general registers, flags included; what follows them tells of the last fault.
  sum = mix(sum, of.uc_mcontext.gregs, sizeof(greg_t) * (REG_EFL + 1));
  if (auto const* const fp = of.uc_mcontext.fpregs) {
    sum = mix(sum, fp->_st, sizeof fp->_st);
    sum = mix(sum, fp->_xmm, sizeof fp->_xmm);
  }
#else
  sum = mix(sum, &of.uc_mcontext, sizeof of.uc_mcontext);
#endif
  return sum;
}

void take(int, siginfo_t*, void* interrupted) {
  int const error = errno;
  auto const me = static_cast<std::uint32_t>(syscall(SYS_gettid));
  if (asked.load(mo::relaxed) == me) {
    count = backtrace_here(frames, thread_place::most + handler_frames);
    state = register_state(*static_cast<ucontext_t const*>(interrupted));
    asked.store(0, mo::release);  // [BT1]
    futex_wake(asked, 1);
  }
  errno = error;
}

}  // namespace

bool locate_thread(int thread, thread_place& place) noexcept {
  void* loader[1];
  backtrace_here(loader, 1);  // loads the unwinder, which must not happen in a handler
  place.count = 0;
  struct sigaction mine{}, before{};
  mine.sa_sigaction = &take;
  mine.sa_flags = SA_RESTART | SA_SIGINFO;
  if (sigaction(SIGCONT, &mine, &before) != 0) return false;
  auto const wanted = static_cast<std::uint32_t>(thread);
  asked.store(wanted, mo::relaxed);
  bool answered = false;
  if (syscall(SYS_tgkill, getpid(), thread, SIGCONT) == 0) {
    constexpr std::uint64_t moment = 50'000'000;
    for (int i = 0; i < 10 && asked.load(mo::acquire) == wanted; ++i) futex_wait_for(asked, wanted, moment);  // [BT2]
    std::uint32_t expected = wanted;
    answered = !asked.compare_exchange(expected, 0, mo::acquire, mo::acquire);  // [BT2]
  }
  sigaction(SIGCONT, &before, nullptr);
  if (!answered) return false;
  place.state = state;
  if (count > handler_frames) {
    place.count = count - handler_frames;
    std::memcpy(place.frames, frames + handler_frames, static_cast<std::size_t>(place.count) * sizeof(void*));
  }
  return true;
}

}  // namespace ashlar::inline v1::os
