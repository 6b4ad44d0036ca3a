// SPDX-License-Identifier: Apache-2.0
#include "sched/arena/stack_set.h"

#include "os/clock.h"
#include "sched/arena/arena.h"
#include "sched/core/suspension_log.h"
#include "sched/core/thread_data.h"
#include "sched/core/worker_source.h"

#include <ashlar/base/assert.h>
#include <ashlar/base/stack_identity.h>

#include <utility>

namespace ashlar::inline v1::sched {

namespace {
// Takes the first stack that fits out of a list.
template <typename Fits>
stack* take_from(stack*& list, Fits fits) noexcept {
  stack* before = nullptr;
  for (stack* s = list; s != nullptr; before = s, s = static_cast<stack*>(s->next)) {
    if (!fits(*s)) continue;
    if (before != nullptr) {
      before->next = s->next;
    } else {
      list = static_cast<stack*>(s->next);
    }
    return s;
  }
  return nullptr;
}
}  // namespace

stack_set::~stack_set() {
  while (idle_ != nullptr) {
    stack* const s = std::exchange(idle_, next_of(*idle_));
    if (s != &own_) delete s;
  }
}

void stack_set::come_to(std::uintptr_t identity) noexcept {
  set_stack_identity(identity);
  slot_.thread().waits.come_to(identity);
}

// The deque is emptied first: after a few changes, jobs above a stack's base may belong to another stack.
void stack_set::change_to(stack& s) noexcept {
  slot_.lay_aside();
  stack& me = *current_;
  me.frame = slot::frame(slot_);
  me.thread_middle = slot_.thread().stack_middle();
  me.identity = stack_identity();
  save_running_tasks(me.locals);
  current_ = &s;
  s.fiber.continue_from(me.fiber);
  me.frame.restore(slot_);
  slot_.thread().set_stack_middle(me.thread_middle);
  come_to(me.identity);
  restore_running_tasks(me.locals);
}

// What an idle loop begins with: as if the thread had just sat down, but for the jobs in the deque.
void stack_set::begin_fresh() noexcept {
  slot_.begin_outermost(slot_.bottom());
  slot_.use_fp(nullptr);
  if (current_ != &own_) come_to(reinterpret_cast<std::uintptr_t>(current_));
  if (char* const middle = current_->fiber.middle()) slot_.thread().set_stack_middle(middle);
  running_tasks const none = {};
  restore_running_tasks(none);
}

void stack_set::run_fiber(void* self) noexcept { static_cast<stack*>(self)->home->serve(true); }

void stack_set::serve(bool forever) noexcept {
  stack& self = *current_;
  wait_until const target(this, "suspended tasks, to be resumed",
                          [this] { return runnable() || ((current_ == &own_ || own_idle_) && !outstanding()); });
  for (;;) {
    begin_fresh();
    if (auto* const call = std::exchange(call_, nullptr)) call(function_, *left_);
    if (!forever && !outstanding()) return;
    slot_.wait(target);
    stack* next = take_runnable();
    if (next == nullptr && own_idle_ && !outstanding()) next = take_own();
    if (next != nullptr) {
      self.next = idle_;
      idle_ = &self;
      if (&self == &own_) own_idle_ = true;
      change_to(*next);
    }
  }
}

stack& stack_set::take_idle() {
  if (idle_ == nullptr) return *new stack(*this, worker_source::get().stack_size(), &run_fiber);
  stack& s = *std::exchange(idle_, next_of(*idle_));
  if (&s == &own_) own_idle_ = false;
  return s;
}

void stack_set::suspend(void (*call)(void* f, stack& left), void* f) {
  stack& loop = take_idle();
  stack& me = *current_;
  me.state.store(stack::suspended, mo::relaxed);  // published with the suspend point, by f
  if (suspended_++ == 0) turn_of_absent_ = turn_of_others_ = {};
  gave_way_ = false;
  slot_.home().suspended.fetch_add(1, mo::relaxed);
  call_ = call;
  function_ = f;
  left_ = &me;
  suspension const told(slot_.thread(), logs_tasks(), &me);
  change_to(loop);
}

void stack_set::push_resumed(stack& s) noexcept {
  std::uint32_t expected = stack::suspended;
  if (!s.state.compare_exchange(expected, stack::resumed, mo::relaxed, mo::relaxed)) {  // the inbox orders
    assertion_failure(__func__, __LINE__, "state == suspended", "a task is resumed that is not suspended");
  }
  // The stack may go on from here, but the slot and its set stay.
  if (inbox_.push(s)) wake_waiters(this);
}

bool stack_set::runnable() const noexcept {
  if (ready_ != nullptr || !inbox_.looks_empty()) return true;
  for (stack const* s = aside_; s != nullptr; s = next_of(*s)) {
    if (s->target->done()) return true;
  }
  return false;
}

stack* stack_set::take_runnable() noexcept {
  if (ready_ == nullptr) ready_ = static_cast<stack*>(inbox_.take());
  if (ready_ != nullptr) {
    stack* const s = std::exchange(ready_, next_of(*ready_));
    s->state.store(stack::running, mo::relaxed);
    --suspended_;
    slot_.home().suspended.fetch_sub(1, mo::relaxed);
    return s;
  }
  return take_from(aside_, [](stack const& s) { return s.target->done(); });
}

bool stack_set::turn::goes_on(unsigned number) noexcept {
  std::uint64_t const now = os::ticks();
  if (std::exchange(number_, number) != number) {
    changed_ = true;
    since_ = now;
  }
  return now - since_ < os::tuned.ticks_of_us(os::short_pause_us);
}

bool stack_set::leaves_job_to_others() noexcept {
  if (suspended_ == 0) return false;
  arena& a = slot_.home();
  unsigned const all = a.suspended.load(mo::relaxed);
  unsigned const threads = slot_.parallelism();
  auto const above_average = [&](unsigned of) { return std::uint64_t{suspended_} * of > all; };
  if (!above_average(threads)) return false;
  unsigned const here = a.occupants();
  bool const come = turn_of_absent_.goes_on(here) && here < threads;
  bool const take = turn_of_others_.goes_on(all - suspended_) && above_average(here) &&
                    (a.searchers() > 1 || a.sleeping_beside_stacks.load(mo::relaxed) != 0);
  // Other threads that are about to suspend tasks, and have no processor, get this processor once.
  bool const once = !std::exchange(gave_way_, true) && above_average(here);
  if ((!come && !take && !once) || !a.has_visible_work()) return false;
  // One call for each job that they take.
  bool const first_of_others = turn_of_others_.begins();
  bool const first_of_absent = turn_of_absent_.begins();
  if (first_of_others || first_of_absent) worker_source::get().pass_on(a);
  return true;
}

stack* stack_set::take_own() noexcept {
  own_idle_ = false;
  return take_from(idle_, [this](stack const& s) { return &s == &own_; });
}

void stack_set::step_aside(wait_target const& target) noexcept {
  stack* next = take_runnable();
  if (next == nullptr) next = take_from(aside_, [](stack const& s) { return s.next == nullptr; });
  stack& me = *current_;
  me.target = &target;
  me.next = aside_;
  aside_ = &me;
  change_to(*next);
}

void stack_set::enter(sleeper& occupant) noexcept {
  occupant.enter(place_, this);
  for (stack* s = aside_; s != nullptr; s = next_of(*s)) occupant.enter(s->place, s->target->address);
}

bool stack_set::announce() noexcept {
  if (!inbox_.announce()) return false;
  if (ready_ != nullptr) return false;
  for (stack const* s = aside_; s != nullptr; s = next_of(*s)) {
    if (!s->target->announce()) return false;
  }
  return true;
}

// The stack that waits for the others may itself have stepped aside for one of them.
bool stack_set::only_waits_for(void const* end) const noexcept {
  if (suspended_ != 0) return false;
  return aside_ == nullptr || (aside_->target->address == end && aside_->next == nullptr);
}

void finish_stacks(slot& s) noexcept {
  if (s.stacks() == nullptr || !s.stacks()->outstanding()) return;
  s.wait(wait_until(&s, "suspended tasks, to be resumed", [&s] { return s.stacks()->only_waits_for(&s); }));
}

slot::~slot() { delete stacks_; }

stack_set& slot::own_stacks() {
  if (stacks_ == nullptr) stacks_ = new stack_set(*this);
  return *stacks_;
}

void suspend_stack(void (*call)(void* f, stack& left), void* f) { this_slot().own_stacks().suspend(call, f); }

void resume_stack(stack& left) noexcept { left.home->push_resumed(left); }

}  // namespace ashlar::inline v1::sched
