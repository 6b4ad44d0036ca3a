// SPDX-License-Identifier: Apache-2.0
// A signal of the system as a way to ask the process something.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace os {

// Has the handler called for the signal of that number; system calls that it interrupts go on. False if the program
// handles or ignores that signal (unless the handler is `ours`), or it can't be handled.
bool take_signal(int number, void (*handler)(int), bool ours) noexcept;
// Gives it its default action back.
void release_signal(int number) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
