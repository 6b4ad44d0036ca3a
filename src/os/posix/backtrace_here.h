// SPDX-License-Identifier: Apache-2.0
// os/backtrace_here.h with the unwinder that exceptions use. Always inline: the unwinder begins with its caller.
#pragma once

#include <ashlar/base/config.h>

#include <unwind.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

struct unwound {
  void** frames;
  int most;
  int count;
};

inline _Unwind_Reason_Code take_frame(_Unwind_Context* at, void* to) {
  auto& all = *static_cast<unwound*>(to);
  std::uintptr_t const code = _Unwind_GetIP(at);
  if (code == 0 || all.count == all.most) return _URC_END_OF_STACK;
  all.frames[all.count++] = reinterpret_cast<void*>(code);
  return _URC_NO_REASON;
}

ASHLAR_ALWAYS_INLINE int backtrace_here(void** frames, int most) noexcept {
  unwound all{frames, most, 0};
  _Unwind_Backtrace(&take_frame, &all);
  return all.count;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
