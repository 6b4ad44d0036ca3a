// SPDX-License-Identifier: Apache-2.0
#include "os/signal_use.h"

#include <signal.h>

namespace ashlar::inline v1::os {

bool take_signal(int number, void (*handler)(int), bool ours) noexcept {
  struct sigaction mine{}, before{};
  if (::sigaction(number, nullptr, &before) != 0) return false;
  if (!ours && ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL)) return false;
  mine.sa_handler = handler;
  mine.sa_flags = SA_RESTART;
  return ::sigaction(number, &mine, nullptr) == 0;
}

void release_signal(int number) noexcept { ::signal(number, SIG_DFL); }

}  // namespace ashlar::inline v1::os
