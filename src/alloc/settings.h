// SPDX-License-Identifier: Apache-2.0
// The modes that the environment and scalable_allocation_mode set.
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace alloc {

// Reads the variables TBB_MALLOC_* and ASHLAR_MALLOC_STATS (docs/environment.md), once, when the process allocates for
// the first time.
void read_environment() noexcept;

// Writes the lines that TBB_VERSION=1 asks for, once. The first allocation of the process is the time, after the modes
// have been set.
void report_version() noexcept;

// scalable_allocation_mode: results are those of the public header.
int set_mode(int mode, std::intptr_t value) noexcept;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
