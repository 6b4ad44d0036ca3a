// SPDX-License-Identifier: Apache-2.0
#include "sched/park/process_locks.h"

#include <ashlar/base/config.h>

namespace ashlar::inline v1::sched {

ASHLAR_CONSTINIT_MUTEX std::mutex process_locks::controls;
ASHLAR_CONSTINIT_MUTEX std::mutex process_locks::observers;
ASHLAR_CONSTINIT_MUTEX std::mutex process_locks::first_use;
ASHLAR_CONSTINIT_MUTEX std::mutex process_locks::facades;
ASHLAR_CONSTINIT_MUTEX std::mutex process_locks::bindings;
ASHLAR_CONSTINIT_MUTEX std::mutex process_locks::cancel_listeners;
ASHLAR_CONSTINIT_MUTEX std::mutex process_locks::hooks;
ASHLAR_CONSTINIT_MUTEX std::mutex process_locks::orphans;
ASHLAR_CONSTINIT_MUTEX std::mutex process_locks::policies;

constinit fork_part* fork_part::first_ = nullptr;

}  // namespace ashlar::inline v1::sched
