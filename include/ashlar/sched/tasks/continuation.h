// SPDX-License-Identifier: Apache-2.0
// What goes on, as a job, when something that it waits for is over: no thread waits with it. Coroutines are continued
// by it (coroutine.h).
//
// Threads    made and hung in by one thread, resumed by another one. After it was hung in, its maker must not touch it:
//            it may have gone on already, and be gone.
// Model      tests/model/completion_model.cpp (one task), tests/model/task_group_model.cpp (a group)
#pragma once

#include <ashlar/sched/tasks/group_counter.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

/// It goes on in the arena in which it was made, and keeps that; under the isolation that it was made in.
class continuation : public job {
 public:
  /// `group`: what it runs in; null: it belongs to none.
  ASHLAR_EXPORT continuation(entry e, slot& s, context* group) noexcept;
  ASHLAR_EXPORT ~continuation();
  continuation(continuation const&) = delete;
  continuation& operator=(continuation const&) = delete;

  /// What the continuation waits for is over: spawns it, or runs it at once where there is no memory for that.
  ASHLAR_EXPORT void resume() noexcept;
  /// For the continuation's entry: the calling thread takes on its group.
  void enter(slot& here) noexcept { here.enter_apart(group_); }

 private:
  arena* const where_;
  context* const group_;
  job_key const key_;
};

/// A continuation that waits for a group.
struct group_watch {
  group_counter* counter;
  continuation* waiting;
  group_watch* next = nullptr;
};

/// Resumes it when the group is done, on any thread. False: the group is done, and nothing waits. The group must not
/// end before it has gone on.
ASHLAR_EXPORT bool watch_group(group_watch& w) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
