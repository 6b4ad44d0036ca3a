// SPDX-License-Identifier: Apache-2.0
#include <ashlar/os/tuning.h>

#include "os/clock.h"

namespace ashlar::inline v1::os {

constinit tuning tuned(2.5);

namespace {

// Before constructors of static objects without a priority, so that those of our own library may start loops.
[[gnu::constructor(101)]] void tune() { tuned = tuning(rough_ticks_per_ns()); }

}  // namespace

}  // namespace ashlar::inline v1::os
