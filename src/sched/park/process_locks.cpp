// SPDX-License-Identifier: Apache-2.0
#include "sched/park/process_locks.h"

namespace ashlar::inline v1::sched {

constinit std::mutex process_locks::controls;
constinit std::mutex process_locks::observers;
constinit std::mutex process_locks::first_use;
constinit std::mutex process_locks::facades;
constinit std::mutex process_locks::bindings;
constinit std::mutex process_locks::cancel_listeners;
constinit std::mutex process_locks::hooks;
constinit std::mutex process_locks::orphans;
constinit std::mutex process_locks::policies;

constinit fork_part* fork_part::first_ = nullptr;

}  // namespace ashlar::inline v1::sched
