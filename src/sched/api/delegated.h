// SPDX-License-Identifier: Apache-2.0
// A call from outside into a full arena: README.md, 'Full arenas'.
//
// Ordering   the end of the call: latch.h
//            [L1] a holder lets go <-> [L2] the last one sees what the other did (acq_rel)
// Model      tests/model/delegated_model.cpp
#pragma once

#include <ashlar/sched/core/slot.h>
#include <ashlar/sched/park/latch.h>

#include <exception>

namespace ashlar {
inline namespace v1 {
namespace sched {

// In the arena's queue and with the waiting thread; the second of the two frees it. One of them claims the call.
struct delegated : job {
  delegated(void (*c)(void*), void* f, context const* of) noexcept : job{&run_it}, call(c), function(f), caller(of) {}

  bool claim() noexcept { return !claimed.exchange(true, mo::relaxed); }
  // In the arena, outside of all groups.
  void run_here() noexcept {
    try {
      call(function);
    } catch (...) {
      failure = std::current_exception();
    }
    latch::set(end);
  }
  void release() noexcept {
    if (holders.fetch_sub(1, mo::acq_rel) == 1) delete this;  // [L1] [L2]
  }
  static job* run_it(job* self, slot& here) noexcept {
    auto& d = *static_cast<delegated*>(self);
    here.enter_apart(nullptr);
    bool const outer = here.enter_function(true);
    if (d.claim()) {
      arena_call const* const outer_call = here.call();
      arena_call const made{d.caller, here.stacks() == nullptr ? outer_call : nullptr};
      here.begin_call(&made);
      d.run_here();
      here.begin_call(outer_call);
    }
    here.enter_function(outer);
    d.release();
    return nullptr;
  }

  void (*const call)(void*);
  void* const function;
  context const* const caller;  // the group of the task that waits for the call; null: none
  std::exception_ptr failure;
  atomic<bool> claimed{false};
  latch end;
  atomic<unsigned> holders{2};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
