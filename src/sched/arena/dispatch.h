// SPDX-License-Identifier: Apache-2.0
// What a worker does in an arena. What a thread does while it waits is slot::wait, in the same file.
#pragma once

#include "sched/arena/arena.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

// Works in the slot until the worker is recalled (false) or there has been nothing to do for a while (true).
// `searching`: it is still counted as searching.
bool serve(arena& a, slot& s, bool& searching) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
