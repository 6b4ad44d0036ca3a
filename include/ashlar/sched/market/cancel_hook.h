// SPDX-License-Identifier: Apache-2.0
// For a layer above the scheduler whose waits end when a context is cancelled, though none of their tasks does.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// `f` is called by each thread that cancels a context of the process, when that is marked and all slots know. Whoever
// has set the hook, or knows that it is set, and then finds a context not cancelled, is called for a later cancel. Set
// once; any thread.
using cancel_function = void (*)() noexcept;
ASHLAR_EXPORT void set_cancel_hook(cancel_function f) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
