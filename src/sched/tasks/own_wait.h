// SPDX-License-Identifier: Apache-2.0
// Waits for a group in one of its own tasks, which can't end: README.md, 'Waits for oneself'.
#pragma once

#include <ashlar/sched/tasks/group_context.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

class group_counter;

// Whether the calling thread's task is counted by the group `own`, or something that the task waits in is: looks at the
// algorithms and the calls of arenas that the thread is in.
bool waits_for_itself(slot const& s, context const& own) noexcept;

// The threads that sleep in a task until a group is done. Each looks, before it sleeps, for waits that end no more
// because of it: its own, and those of others, which it ends.
class own_waits {
 public:
  class waiter {
   public:
    waiter(slot const& s, context const& own, group_counter const* counter) noexcept;
    ~waiter();
    waiter(waiter const&) = delete;
    waiter& operator=(waiter const&) = delete;

    // True if the wait can't end. Called when the thread can be woken.
    bool look() noexcept;
    bool endless() const noexcept { return endless_.load(mo::relaxed); }

   private:
    void enlist() noexcept;
    bool reaches_own() const noexcept;

    context const* const within_;
    arena_call const* const call_;
    context const* const own_;
    group_counter const* const counter_;
    atomic<bool> endless_{false};
    bool listed_ = false;
    waiter* next_ = nullptr;
    waiter* previous_ = nullptr;
    friend class own_waits;
  };

 private:
  static waiter* tell_next() noexcept;
  static waiter* first_;  // under process_locks::own_waits
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
