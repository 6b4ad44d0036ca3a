// SPDX-License-Identifier: Apache-2.0
#include "sched/core/wait_log.h"

namespace ashlar::inline v1::sched {

atomic<bool> tasks_are_logged{false};

}  // namespace ashlar::inline v1::sched
