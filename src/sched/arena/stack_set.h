// SPDX-License-Identifier: Apache-2.0
// The stacks of a slot whose thread has suspended a task: which one runs, which are left and why, which are to be
// continued. Protocol: README.md, 'Suspended tasks'.
//
// Threads    the slot's occupant; resume_stack by anyone.
// Invariants J1 a stack is in one place: running; suspended; resumed (the inbox or `ready_`); aside (it waits for
//               a target); idle (its loop serves the others).
//            J2 the occupant keeps the slot while a stack is suspended, resumed or aside. An idle one may go on
//               under the slot's next thread.
#pragma once

#include "os/fiber.h"
#include "sched/core/running_task.h"
#include "sched/park/parking.h"
#include "sched/queue/stack_inbox.h"

#include <ashlar/sched/arena/suspended_stack.h>
#include <ashlar/sched/core/slot.h>

#include <utility>

namespace ashlar {
inline namespace v1 {
namespace sched {

class stack_set;

struct stack : stack_link {
  enum : std::uint32_t { running, suspended, resumed };

  explicit stack(stack_set& set) noexcept : home(&set) {}
  stack(stack_set& set, std::size_t size, os::fiber::entry run) : home(&set), fiber(size, run, this) {}

  stack_set* const home;
  atomic<std::uint32_t> state{running};
  wait_target const* target = nullptr;  // what it waits for, aside
  sync::wait_place place;               // of the sleeping occupant, there
  // The slot's and the thread's state on this stack.
  slot::frame frame;
  char* thread_middle = nullptr;
  std::uintptr_t identity = 0;  // base/stack_identity.h
  running_tasks locals = {};
  os::fiber fiber;
};

class stack_set {
 public:
  explicit stack_set(slot& s) noexcept : slot_(s), own_(*this), current_(&own_) {}
  stack_set(stack_set const&) = delete;
  stack_set& operator=(stack_set const&) = delete;
  ~stack_set();

  void suspend(void (*call)(void* f, stack& left), void* f);
  void push_resumed(stack& s) noexcept;

  // Whether some stack can go on. The running stack's own target doesn't count.
  bool runnable() const noexcept;
  // True if the occupant must stay.
  bool outstanding() const noexcept { return suspended_ != 0 || aside_ != nullptr; }
  // True if no stack is outstanding, except perhaps the one that waits for this address.
  bool only_waits_for(void const* end) const noexcept;
  // Is the running stack's wait to step aside? `turn`: also if others can't go on, but may look for work.
  bool wanted_aside(wait_target const& target, bool turn) const noexcept {
    return target.address != this && (runnable() || (turn && aside_ != nullptr));
  }
  // The thread has left more stacks than other threads have on average, and these may take the job that lies there:
  // each stack goes on under its own thread only. README.md, 'Suspended tasks'.
  bool leaves_job_to_others() noexcept;
  // In such a wait: lets a stack run that can go on, or else the one that has been aside for longest. This one goes on
  // when its target is reached, or to look for work.
  void step_aside(wait_target const& target) noexcept;
  // A worker's outermost loop: runs jobs and stacks until no stack is outstanding.
  void serve_until_done() noexcept { serve(false); }

  // For an occupant that is about to sleep. enter lets it be found by what its stacks wait for; announce comes after
  // that, and returns false if something can go on.
  void enter(sleeper& occupant) noexcept;
  bool announce() noexcept;

 private:
  static stack* next_of(stack const& s) noexcept { return static_cast<stack*>(s.next); }
  static void run_fiber(void* self) noexcept;
  void serve(bool forever) noexcept;
  stack& take_idle();
  stack* take_runnable() noexcept;
  stack* take_own() noexcept;
  void change_to(stack& s) noexcept;
  void come_to(std::uintptr_t identity) noexcept;
  void begin_fresh() noexcept;

  slot& slot_;
  stack own_;
  stack* current_;
  stack* idle_ = nullptr;
  stack* aside_ = nullptr;
  stack* ready_ = nullptr;
  stack_inbox inbox_;
  sync::wait_place place_;  // of the sleeping occupant, for stacks that are resumed
  unsigned suspended_ = 0;  // suspended and resumed ones
  // How long other threads have a turn: until a number that they change has stayed the same for some time.
  class turn {
   public:
    bool goes_on(unsigned number) noexcept;
    // True once for each change.
    bool begins() noexcept { return std::exchange(changed_, false); }

   private:
    unsigned number_ = ~0u;
    bool changed_ = false;
    std::uint64_t since_ = 0;  // ticks
  };
  turn turn_of_absent_;    // to come to the arena
  turn turn_of_others_;    // to take a job
  bool gave_way_ = false;  // since the last suspension
  bool own_idle_ = false;
  // What the next idle stack does first.
  void (*call_)(void* f, stack& left) = nullptr;
  void* function_ = nullptr;
  stack* left_ = nullptr;
};

// The occupant is about to leave the slot: it stays until no stack is outstanding.
void finish_stacks(slot& s) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
