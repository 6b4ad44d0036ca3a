// SPDX-License-Identifier: Apache-2.0
// Where no thread can fence another one: each side has a full fence.
#include "os/membarrier.h"

#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {

bool heavy_fence_missing = true;

namespace os {

bool heavy_fence_available() noexcept { return false; }
void heavy_fence() noexcept { fence_seq_cst(); }
std::uint64_t heavy_fence_ticks() noexcept { return 0; }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
