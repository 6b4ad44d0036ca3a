// SPDX-License-Identifier: Apache-2.0
// A function that a thread calls in an arena, or lets another thread call.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace sched {

class context;

struct arena_call {
  context const* caller = nullptr;    // the group of the task that calls; null: it is called outside of tasks
  arena_call const* outer = nullptr;  // the call in which this one is made, on the same stack
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
