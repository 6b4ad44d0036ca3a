// SPDX-License-Identifier: Apache-2.0
// What the layer above keeps for the running stack.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// For example its innermost task. Only that layer reads and writes the variable; a stack that is left takes the value
// along, and a fresh one begins with null.
extern ASHLAR_EXPORT ASHLAR_INITIAL_EXEC __thread void* running_above;
// The same for the flow graph: who waits for the message whose body runs.
extern ASHLAR_EXPORT ASHLAR_INITIAL_EXEC __thread void* awaited_above;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
