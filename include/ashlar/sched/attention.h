// SPDX-License-Identifier: Apache-2.0
// The bits of a slot's attention word, one look at which tells its owner that nothing keeps it from its fast path.
#pragma once

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// Why the owner has to leave its fast path.
enum attention : std::uint32_t {
  attention_wake = 1,     // somebody sleeps and wants to hear of new jobs
  attention_cancel = 2,   // some context of the process is cancelled
  attention_observe = 4,  // statistics or tracing are on
  attention_recall = 32,  // the market wants workers back: they leave the rest of their work to others
  attention_fence = 16,   // the light fence needs the owner's help, always: there is no heavy one
  attention_urgent = 8    // the arena has enqueued jobs of high priority: they come before own ones
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
