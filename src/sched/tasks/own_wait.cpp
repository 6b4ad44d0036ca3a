// SPDX-License-Identifier: Apache-2.0
// Ordering   [OW2] [OW4] see group_context.h
#include "sched/tasks/own_wait.h"

#include "base/raise.h"
#include "os/clock.h"
#include "os/membarrier.h"
#include "sched/park/process_locks.h"

#include <ashlar/base/exceptions.h>
#include <ashlar/os/tuning.h>

#include <mutex>

namespace ashlar::inline v1::sched {

namespace {

constexpr int deepest = 64;  // steps of a walk; beyond, the hang report tells of the wait
constexpr double longest_pause_ns = 1e10;

// From an algorithm's node to the group in which the algorithm was called: the algorithm waits for whoever asks.
context const* out_of_algorithms(context const* c) noexcept {
  for (int i = 0; i < deepest && c != nullptr && c->is_of_algorithm(); ++i) c = c->parent();
  return c;
}

// Whether what runs in `c` holds back the group `own`, by the marks of the groups between. With the lock, and after a
// heavy fence: then whoever has set a mark stays until what runs in `c` is over (OW1), or throws with the lock, so the
// context of the mark lives.
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

own_wait::own_wait(slot const& s, context const& own) noexcept
    : within_(&s.group()), call_(reliable_call(s)), own_(&own) {}

bool own_wait::reaches_own() const noexcept {
  if (!own_->is_of_group()) return false;
  if (holds_back(within_, *own_)) return true;
  for (arena_call const* c = call_; c != nullptr; c = c->outer) {
    if (holds_back(c->caller, *own_)) return true;
  }
  return false;
}

bool own_wait::may_sleep(sleeper& thread) noexcept {
  if (endless_ || pause_ns_ > longest_pause_ns) return !endless_;
  std::uint64_t const now = os::ticks();
  if (pause_begun_ == 0) pause_begun_ = now;
  if (now - pause_begun_ >= os::tuned.ticks_of_ns(pause_ns_)) {
    endless_ = look();
    pause_ns_ *= 4;
    pause_begun_ = now;
    if (endless_ || pause_ns_ > longest_pause_ns) return !endless_;
  }
  thread.limit_next_sleep(static_cast<std::uint64_t>(pause_ns_ * 1.01));
  return true;
}

bool own_wait::look() const noexcept {
  std::lock_guard const held(process_locks::own_waits);
  os::heavy_fence();  // [OW2]
  return reaches_own();
}

void throw_own_wait() {
  // Whoever has seen this wait's mark looks at the waiting task's context with the lock.
  process_locks::own_waits.lock();
  process_locks::own_waits.unlock();
  raise(tbb::unsafe_wait("tbb::task_group::wait: called by a task of the same group, which it would wait for"));
}

}  // namespace ashlar::inline v1::sched
