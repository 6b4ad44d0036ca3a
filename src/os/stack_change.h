// SPDX-License-Identifier: Apache-2.0
// Leaving a stack and going on where another one was left: in assembly where we have it, by the C library's contexts
// elsewhere (musl has none). What a called function must keep is kept, with the floating-point control words. A point
// is where a stack goes on.
#pragma once

#include <cstddef>

#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
// Saves the registers on the running stack, writes its point to *left, and goes on at the other one.
extern "C" void ashlar_change_stack(void** left, void* point) noexcept;

namespace ashlar {
inline namespace v1 {
namespace os {

inline void change_stack(void** left, void* point) noexcept { ashlar_change_stack(left, point); }
// Of a stack's end, at which nothing has run: calls begin(self) there.
void* first_point(char* low, std::size_t size, void (*begin)(void*) noexcept, void* self);
inline void forget_point(void*) noexcept {}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
#else
#include <ucontext.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

inline void change_stack(void** left, void* point) noexcept {
  if (*left == nullptr) *left = new ucontext_t;
  ::swapcontext(static_cast<ucontext_t*>(*left), static_cast<ucontext_t*>(point));
}
inline void forget_point(void* point) noexcept { delete static_cast<ucontext_t*>(point); }
void* first_point(char* low, std::size_t size, void (*begin)(void*) noexcept, void* self);

}  // namespace os
}  // namespace v1
}  // namespace ashlar
#endif
