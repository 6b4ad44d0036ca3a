// SPDX-License-Identifier: Apache-2.0
// Where the system does not tell what CPUs share.
#include "os/topology.h"

namespace ashlar::inline v1::os {

topology read_machine() noexcept { return topology(); }

}  // namespace ashlar::inline v1::os
