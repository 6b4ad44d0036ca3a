// SPDX-License-Identifier: Apache-2.0
// The system's files about processors, caches and nodes, of the simulated ones.
#pragma once

#include "product/costs.h"

namespace ashlar::sim::product {

inline constexpr int not_of_processors = -2;

// A descriptor of such a file, -1 if there is none of that name, or not_of_processors.
int open_processor_file(costs const& machine, char const* path);

}  // namespace ashlar::sim::product
