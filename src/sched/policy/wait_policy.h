// SPDX-License-Identifier: Apache-2.0
// The wait policy: what a thread may steal while a task of its stack waits. Pure, so that the simulator compiles the
// same file.
//
// any        whatever there is; the stack is bounded all the same: beyond half of it the thread leapfrogs
// depth      only jobs deeper than the waiting task (2007 paper, 'Minimizing Stack Use')
// leapfrog   only from the thread that took the job waited for (Wagner and Calder 1993)
#pragma once

#include <ashlar/sched/policy/job.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

enum class wait_policy : unsigned { any, depth, leapfrog };
inline constexpr char const* wait_policy_names[] = {"any", "depth", "leapfrog"};

// May a thread whose innermost task has key `waiting` take a job with key `offered`?
constexpr bool may_take(wait_policy policy, job_key waiting, job_key offered) noexcept {
  if (isolation_of(waiting) != 0 && isolation_of(offered) != isolation_of(waiting)) return false;
  return policy != wait_policy::depth || depth_of(offered) > depth_of(waiting);
}

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
