// SPDX-License-Identifier: Apache-2.0
// Whether those who free an armed word rely on the light fence (src/sync/wait_table.cpp decides when the library
// is loaded).
#pragma once

namespace ashlar {
inline namespace v1 {
namespace sync {

#ifdef ASHLAR_MODEL
inline bool wakers_use_light_fence() noexcept { return true; }
#else
// False: all buckets stay armed for ever, and every waker takes the bucket's lock.
bool wakers_use_light_fence() noexcept;
#endif

}  // namespace sync
}  // namespace v1
}  // namespace ashlar
