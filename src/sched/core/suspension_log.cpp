// SPDX-License-Identifier: Apache-2.0
#include "sched/core/suspension_log.h"

#include "os/backtrace_here.h"
#include "os/clock.h"
#include "sched/core/thread_data.h"

#include <mutex>
#include <new>

namespace ashlar::inline v1::sched {

namespace {

ASHLAR_CONSTINIT_MUTEX std::mutex suspensions;
suspension* first = nullptr;

}  // namespace

suspension::suspension(thread_data const& of, bool on, void const* stack_left) noexcept : left(stack_left) {
  if (ASHLAR_LIKELY(!on)) return;
  stack = stack_identity();
  if (task_log::entry const* const running = of.tasks.newest(stack)) {
    kind = running->kind.load(mo::relaxed);
    task = running->task.load(mo::relaxed);
  }
  since = os::now_ns();
  tid = of.tid.load(mo::relaxed);
  place.count = os::backtrace_here(place.frames, os::thread_place::most);
  std::lock_guard const guard(suspensions);
  listed_ = true;
  next_ = first;
  if (first != nullptr) first->previous_ = this;
  first = this;
}

void suspension::leave() noexcept {
  std::lock_guard const guard(suspensions);
  if (next_ != nullptr) next_->previous_ = previous_;
  if (previous_ != nullptr) {
    previous_->next_ = next_;
  } else if (first == this) {
    first = next_;
  }
}

void suspension::each(void (*take)(suspension const&, void*) noexcept, void* context) noexcept {
  std::lock_guard const guard(suspensions);
  for (suspension const* s = first; s != nullptr; s = s->next_) take(*s, context);
}

void suspension::forget_all() noexcept {
  new (&suspensions) std::mutex;
  // Each record leaves the list by itself, if its thread is there.
  while (first != nullptr) {
    suspension* const s = first;
    first = s->next_;
    s->next_ = nullptr;
    s->previous_ = nullptr;
    s->listed_ = false;
  }
}

}  // namespace ashlar::inline v1::sched
