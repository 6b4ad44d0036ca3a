// SPDX-License-Identifier: Apache-2.0
#include <ashlar/containers/node_store.h>

namespace ashlar::inline v1::containers {

__thread std::uint32_t own_stripe = 0;

}  // namespace ashlar::inline v1::containers
