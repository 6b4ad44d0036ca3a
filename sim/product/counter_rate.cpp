// SPDX-License-Identifier: Apache-2.0
// Instead of src/os/counter_rate.cpp: the simulated processors' counter counts nanoseconds.
#include "os/counter_rate.h"

namespace ashlar::inline v1::os {

double rate_from_hardware() noexcept { return 1; }

}  // namespace ashlar::inline v1::os
