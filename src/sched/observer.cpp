// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sched/observer.h>

#include "sched/observers.h"

namespace ashlar::sched {

observer_record* start_observing(tbb::task_scheduler_observer& who, arena* where) {
  return start_observing(&who, where, [](void* observer, bool enters, bool worker) noexcept {
    auto& o = *static_cast<tbb::task_scheduler_observer*>(observer);
    enters ? o.on_scheduler_entry(worker) : o.on_scheduler_exit(worker);
  });
}

}  // namespace ashlar::sched
