// SPDX-License-Identifier: Apache-2.0
#include "sched/core/calling_thread.h"

#include <ashlar/base/config.h>

namespace ashlar::inline v1::sched {

void const* calling_thread() noexcept {
  static ASHLAR_INITIAL_EXEC __thread char mark;
  return &mark;
}

}  // namespace ashlar::inline v1::sched
