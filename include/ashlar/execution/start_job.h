// SPDX-License-Identifier: Apache-2.0
// How a job that is part of an operation state comes into an arena.
#pragma once

#include <ashlar/execution/implementation.h>
#include <ashlar/sched/arena/arena_handle.h>
#include <ashlar/sched/core/slot.h>

ASHLAR_EXECUTION_PARTS

/// A query of environments: whether whoever starts the operation waits for it, as a thread of the scheduler, right
/// after that. Then the job needs no worker. It is forwarded.
struct starter_waits_t {
  static consteval bool query(ex::forwarding_query_t) noexcept { return true; }
};
template <typename Env>
inline constexpr bool starter_waits = requires(Env const& env) { env.query(starter_waits_t()); };

/// Runs the job once, on a thread of the arena. A task that runs in the arena spawns it, if other threads can come
/// there; else it is enqueued, and a worker comes for it: the calling thread may never wait, or wait where the library
/// does not know of it. Without memory for that, the calling thread enters the arena and runs it itself. `priority`: 0
/// low, 1 normal, 2 high; for what is enqueued.
inline void start_job(sched::arena& where, sched::job& j, int priority, bool waits) noexcept {
  sched::slot* const here = sched::current_slot;
  if (ASHLAR_LIKELY(here != nullptr && &here->home() == &where) &&
      (waits || (sched::depth_of(here->key()) != 0 && here->can_share()))) {
    return here->spawn_or_run(j, here->child_key());
  }
  tsan::release(&j);
  ASHLAR_TRY { sched::enqueue_job(where, j, priority); }
  ASHLAR_CATCH_ALL {
    sched::call_in_arena(where, [&j] {
      sched::slot& s = sched::this_slot();
      s.run(&j, s.child_key());
    });
  }
}

ASHLAR_EXECUTION_PARTS_END
