// SPDX-License-Identifier: Apache-2.0
// Where a thread was interrupted: the stack pointer and the instruction. 0: not known.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

struct fault_place {
  std::uintptr_t stack;
  std::uintptr_t code;
};

inline fault_place place_of(void const* context) noexcept {
  auto const& machine = static_cast<ucontext_t const*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.gregs[REG_RSP]), static_cast<std::uintptr_t>(machine.gregs[REG_RIP])};
#elif defined(__aarch64__)
  return {static_cast<std::uintptr_t>(machine.sp), static_cast<std::uintptr_t>(machine.pc)};
#else
  static_cast<void>(machine);
  return {0, 0};
#endif
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
