// SPDX-License-Identifier: Apache-2.0
// Where a thread was interrupted: the stack pointer and the instruction. 0: not known.
#pragma once

#include <signal.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

struct fault_place {
  std::uintptr_t stack;
  std::uintptr_t code;
};

inline fault_place place_of(void const* context) noexcept {
  auto const& machine = static_cast<ucontext_t const*>(context)->uc_mcontext->__ss;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.__rsp), static_cast<std::uintptr_t>(machine.__rip)};
#else
  return {static_cast<std::uintptr_t>(__darwin_arm_thread_state64_get_sp(machine)),
          static_cast<std::uintptr_t>(__darwin_arm_thread_state64_get_pc(machine))};
#endif
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
