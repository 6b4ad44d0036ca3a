// SPDX-License-Identifier: Apache-2.0
// Dummy tasks for the parts of the scheduler under a model of things that threads wait for: a slot whose wait finds
// nothing else to run, over the real parking lot; a continuation goes on at once. To be included after
// parking_lot.h.
#pragma once

#include <engine/model.h>
#include <engine/os.h>

#include <ashlar/sched/core/own_jobs.h>
#include <ashlar/sched/tasks/continuation.h>

namespace ashlar::model {

inline sched::parking_lot* the_lot = nullptr;  // of the execution
inline sched::slot* any_slot = nullptr;        // that continuations go on in

}  // namespace ashlar::model

namespace ashlar::inline v1::sched {

slot::~slot() = default;  // no stacks

// As dispatch.cpp, park_waiter.
void slot::wait(wait_target const& target) noexcept {
  sleeper own;
  while (!target.done()) {
    model::the_lot->enter_waiter(own, *reinterpret_cast<arena*>(this), target.address, true);
    if (!target.announce() || target.done()) {
      model::the_lot->leave(own);
      continue;
    }
    own.sleep();
  }
}

void slot::lay_strangers_aside() noexcept { model::require(false, "no region leaves jobs"); }
void own_region::gather() noexcept { model::require(false, "nobody waits for own tasks only"); }

void context::retire() noexcept { model::require(false, "no context is cancelled here"); }

continuation::continuation(entry e, slot&, context*) noexcept : job{e}, where_(nullptr), group_(nullptr), key_(0) {}
continuation::~continuation() {}
void continuation::resume() noexcept {
  (void)where_;  // clang sees no other use of these two
  (void)key_;
  run(this, *model::any_slot);
}

}  // namespace ashlar::inline v1::sched
