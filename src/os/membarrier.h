// SPDX-License-Identifier: Apache-2.0
// The heavy half of an asymmetric fence pair (the light half is fence_light() in base/atomic.h). Any thread
// may call; the first call registers the process with the kernel.
//
// A protocol asks heavy_fence_available() once, before its first light fence: where the answer is false the
// frequent side has to use fence_seq_cst() itself. The answer never changes while the process lives, and a
// forked child gives the one of its parent.
#pragma once

#ifdef ASHLAR_MODEL
#include <engine/os.h>
#else

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace os {

// True if heavy_fence() reaches the other threads. False on an old kernel or in a sandbox that forbids
// membarrier. Cost after the first call: one load.
bool heavy_fence_available() noexcept;

// Available: every running thread of the process executes a full fence between the start and the end of the
// call (0.4 us with the other cores idle, 8 to 10 us with them busy). Else: a full fence of the caller alone.
void heavy_fence() noexcept;

// How long heavy_fence() takes here, in ticks, as the last calls tell: the price of what needs one.
std::uint64_t heavy_fence_ticks() noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
#endif  // ASHLAR_MODEL
