// SPDX-License-Identifier: Apache-2.0
// What a loop remembers of its last executions.
#pragma once

#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

// Was this body's loop (in practice: one place in the program) too small to be shared lately? 2 after a small
// execution, less by 1 after each other one: a single execution that was preempted doesn't count. A hint only, so races
// don't matter.
template <typename Work>
inline atomic<unsigned char> small_loop{0};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar
