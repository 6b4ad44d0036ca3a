// SPDX-License-Identifier: Apache-2.0
#include "sched/core/worker_source.h"

#include "sched/park/parking.h"

namespace ashlar::inline v1::sched {

atomic<bool> worker_source::without_workers_{false};
atomic<worker_source*> worker_source::the_source_{nullptr};

bool worker_source::others_idle() const noexcept {
  return parking_lot::get().count() != 0 || created_hint_.load(mo::relaxed) < limit_hint();
}

}  // namespace ashlar::inline v1::sched
