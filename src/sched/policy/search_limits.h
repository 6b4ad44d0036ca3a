// SPDX-License-Identifier: Apache-2.0
// What a thread that looks for work may take. Pure, so that the simulator compiles the same file.
#pragma once

#include "sched/policy/wait_policy.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

struct search_limits {
  static constexpr std::uint32_t anybody = ~0u;

  wait_policy policy = wait_policy::any;
  job_key waiting = 0;                // key of the waiting task
  bool nested = false;                // a task of this stack waits
  std::uint32_t only_from = anybody;  // leapfrog: the index of the one victim allowed
  bool enqueued_only = false;         // a worker beyond the arena's limit
  bool enqueued_too = true;           // not only calls and what is urgent
  bool leaves_enqueued = false;       // what the program enqueued is for others in any case

  // For a thread that waits inside a task with the key `waiting`. `thief`: who took the job that it waits for, where
  // that is known. Without a thief a thread that would leapfrog goes by depth.
  static search_limits of_waiter(wait_policy policy, job_key waiting, std::uint32_t thief) noexcept {
    search_limits limits;
    limits.nested = true;
    limits.waiting = waiting;
    limits.policy = policy;
    if (policy == wait_policy::leapfrog) {
      limits.only_from = thief;
      if (thief == anybody) limits.policy = wait_policy::depth;
    }
    return limits;
  }

  bool restricted() const noexcept { return policy != wait_policy::any || isolation_of(waiting) != 0; }
  bool takes_any() const noexcept { return only_from == anybody && !restricted(); }
  bool takes_enqueued() const noexcept { return enqueued_too && takes_any(); }
  // May the thread take a job with this key?
  bool allow(job_key offered) const noexcept { return !nested || may_take(policy, waiting, offered); }
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
