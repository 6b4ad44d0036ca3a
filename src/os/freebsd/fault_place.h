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
  return {static_cast<std::uintptr_t>(machine.mc_rsp), static_cast<std::uintptr_t>(machine.mc_rip)};
#elif defined(__aarch64__)
  return {static_cast<std::uintptr_t>(machine.mc_gpregs.gp_sp), static_cast<std::uintptr_t>(machine.mc_gpregs.gp_elr)};
#else
  static_cast<void>(machine);
  return {0, 0};
#endif
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
