// SPDX-License-Identifier: Apache-2.0
// The table of sleepers in a model of locks: one bucket for all addresses, as it is after the library's set-up. One in
// each execution, made before the locks.
#pragma once

#include <engine/model.h>

#include <ashlar/sync/wait_on.h>

namespace ashlar::model {

struct sleepers {
  sync::wait_bucket bucket;
  sleepers() {
    label(bucket, "bucket");
    bucket.armed.store(0, mo::relaxed);
    sync::model_bucket = &bucket;
  }
};

}  // namespace ashlar::model
