// SPDX-License-Identifier: Apache-2.0
// Where no thread tells another one where it is.
#include "os/thread_backtrace.h"

namespace ashlar::inline v1::os {

bool locate_thread(int, thread_place&) noexcept { return false; }

}  // namespace ashlar::inline v1::os
