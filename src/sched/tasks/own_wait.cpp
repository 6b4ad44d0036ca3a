// SPDX-License-Identifier: Apache-2.0
// Ordering   [OW2] [OW4] see group_context.h
#include "sched/tasks/own_wait.h"

#include "base/raise.h"
#include "os/membarrier.h"
#include "sched/park/process_locks.h"

#include <ashlar/base/exceptions.h>
#include <ashlar/sched/tasks/group_counter.h>

#include <mutex>
#include <utility>

namespace ashlar::inline v1::sched {

namespace {

constexpr int deepest = 64;  // steps of a walk; beyond, the hang report tells of the wait

// From an algorithm's node to the group in which the algorithm was called: the algorithm waits for whoever asks.
context const* out_of_algorithms(context const* c) noexcept {
  for (int i = 0; i < deepest && c != nullptr && c->is_of_algorithm(); ++i) c = c->parent();
  return c;
}

// Whether what runs in `c` holds back the group `own`, by the marks of the groups between. After a heavy fence: then
// a mark stands until whoever has set it has asked for what runs in `c` (OW1), so its context lives.
bool holds_back(context const* c, context const& own) noexcept {
  for (int i = 0; i < deepest && c != nullptr; ++i) {
    c = out_of_algorithms(c);
    if (c == nullptr || !c->is_of_group()) return false;
    if (c == &own) return true;
    c = static_cast<group_context const*>(c)->awaited_by();  // [OW2]
  }
  return false;
}

arena_call const* reliable_call(slot const& s) noexcept { return s.stacks() == nullptr ? s.call() : nullptr; }

}  // namespace

bool waits_for_itself(slot const& s, context const& own) noexcept {
  if (!own.is_of_group()) return false;
  if (out_of_algorithms(&s.group()) == &own) return true;
  for (arena_call const* c = reliable_call(s); c != nullptr; c = c->outer) {
    if (out_of_algorithms(c->caller) == &own) return true;
  }
  return false;
}

own_waits::waiter* own_waits::first_ = nullptr;

own_waits::waiter::waiter(slot const& s, context const& own, group_counter const* counter) noexcept
    : within_(&s.group()), call_(reliable_call(s)), own_(&own), counter_(counter) {}

own_waits::waiter::~waiter() {
  if (!listed_) return;
  std::lock_guard const held(process_locks::own_waits);
  (previous_ != nullptr ? previous_->next_ : first_) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

bool own_waits::waiter::reaches_own() const noexcept {
  if (!own_->is_of_group()) return false;
  if (holds_back(within_, *own_)) return true;
  for (arena_call const* c = call_; c != nullptr; c = c->outer) {
    if (holds_back(c->caller, *own_)) return true;
  }
  return false;
}

void own_waits::waiter::enlist() noexcept {
  std::lock_guard const held(process_locks::own_waits);
  if (std::exchange(listed_, true)) return;
  next_ = first_;
  if (first_ != nullptr) first_->previous_ = this;
  first_ = this;
}

// One that waits for itself, and has not been told; null if there is none.
own_waits::waiter* own_waits::tell_next() noexcept {
  for (waiter* w = first_; w != nullptr; w = w->next_) {
    if (!w->endless() && w->reaches_own() && !w->endless_.exchange(true, mo::relaxed)) return w;
  }
  return nullptr;
}

bool own_waits::waiter::look() noexcept {
  enlist();
  os::heavy_fence();  // [OW2]
  for (;;) {
    group_counter const* counter = nullptr;
    {
      std::lock_guard const held(process_locks::own_waits);
      waiter const* const told = own_waits::tell_next();
      if (told == nullptr) return endless();
      counter = told->counter_;
    }
    wake_waiters(counter);  // the address is only a key
  }
}

void throw_own_wait() {
  raise(tbb::unsafe_wait("tbb::task_group::wait: called by a task of the same group, which it would wait for"));
}

}  // namespace ashlar::inline v1::sched
