// SPDX-License-Identifier: Apache-2.0
#include "os/stack_fault.h"

#include "os/pages.h"

#include <ashlar/base/atomic.h>

#include <signal.h>

#include <cerrno>

#if defined(__linux__)
#include "os/linux/fault_place.h"
#elif defined(__APPLE__)
#include "os/darwin/fault_place.h"
#elif defined(__FreeBSD__)
#include "os/freebsd/fault_place.h"
#endif

namespace ashlar::inline v1::os {

namespace {

atomic<void (*)(std::uintptr_t) noexcept> told{nullptr};

// Functions touch what they need in steps of a page or less, or begin with a frame of any size.
bool is_overflow(siginfo_t const& fault, fault_place const& at) noexcept {
  constexpr std::uintptr_t beside = std::uintptr_t{64} << 10;
  auto const address = reinterpret_cast<std::uintptr_t>(fault.si_addr);
  bool const by_access = fault.si_code == SEGV_MAPERR || fault.si_code == SEGV_ACCERR;
  return by_access && at.stack != 0 && address + beside >= at.stack && address <= at.stack + beside;
}

// The default action follows when the instruction is tried again; a signal that was sent is sent again.
void handle(int number, siginfo_t* fault, void* context) {
  int const error = errno;
  fault_place const at = place_of(context);
  if (is_overflow(*fault, at)) told.load(mo::relaxed)(at.code);
  struct sigaction none{};
  none.sa_handler = SIG_DFL;
  ::sigaction(number, &none, nullptr);
  if (fault->si_code <= 0) ::raise(number);
  errno = error;
}

}  // namespace

bool watch_stack_faults(void (*tell)(std::uintptr_t code) noexcept) noexcept {
  struct sigaction before{};
  if (::sigaction(SIGSEGV, nullptr, &before) != 0) return false;
  if ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) return false;
  told.store(tell, mo::relaxed);
  struct sigaction mine{};
  mine.sa_sigaction = &handle;
  mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
  return ::sigaction(SIGSEGV, &mine, nullptr) == 0;
}

// System calls are saved: a thread that has a stack of the program's already, or has another one at the end, gets that
// back.
void* give_signal_stack(std::size_t bytes) noexcept {
  void* const memory = map_pages(bytes);
  if (memory == nullptr) return nullptr;
  stack_t mine{};
  mine.ss_sp = memory;
  mine.ss_size = bytes;
  stack_t before{};
  if (::sigaltstack(&mine, &before) == 0) {
    if ((before.ss_flags & SS_DISABLE) != 0 || ::sigaltstack(&before, nullptr) != 0) return memory;
  }
  unmap_pages(memory, bytes);
  return nullptr;
}

void take_signal_stack(void* memory, std::size_t bytes) noexcept {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  none.ss_size = bytes;
  stack_t now{};
  if (::sigaltstack(&none, &now) != 0) return;
  if (now.ss_sp != memory && (now.ss_flags & SS_DISABLE) == 0) ::sigaltstack(&now, nullptr);
  unmap_pages(memory, bytes);
}

}  // namespace ashlar::inline v1::os
