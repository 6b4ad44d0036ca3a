// SPDX-License-Identifier: Apache-2.0
// The real parking lot in a model, with one bucket for all addresses. One in each execution.
#pragma once

#include <engine/os.h>
#include <sleepers.h>

#include "sched/park/parking.cpp"
#include "sync/parker.cpp"
#include "sync/wait_on.cpp"

namespace ashlar::model {

struct locked_sleepers : sleepers {
  std::mutex lock;
  locked_sleepers() { sync::model_bucket_lock = &lock; }
};

struct parking_lot : locked_sleepers, sched::parking_lot {};

}  // namespace ashlar::model
