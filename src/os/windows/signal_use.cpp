// SPDX-License-Identifier: Apache-2.0
// Signals of C, which Windows gives to the program alone.
#include "os/signal_use.h"

#include <ashlar/base/atomic.h>

#include <csignal>

namespace ashlar::inline v1::os {

namespace {

atomic<void (*)(int)> handlers[NSIG];  // relaxed: the word carries its whole meaning

// The C library has taken the handler away before it calls it.
void call(int number) {
  std::signal(number, &call);
  handlers[number].load(mo::relaxed)(number);
}

}  // namespace

bool take_signal(int number, void (*handler)(int), bool ours) noexcept {
  if (number < 0 || number >= NSIG) return false;
  auto* const known = handlers[number].load(mo::relaxed);
  if (ours || known == nullptr) handlers[number].store(handler, mo::relaxed);
  auto* const before = std::signal(number, &call);
  if (before == SIG_DFL || (ours && before == &call)) return true;
  if (before != SIG_ERR) std::signal(number, before);
  handlers[number].store(known, mo::relaxed);
  return false;
}

void release_signal(int number) noexcept {
  std::signal(number, SIG_DFL);
  handlers[number].store(nullptr, mo::relaxed);
}

}  // namespace ashlar::inline v1::os
