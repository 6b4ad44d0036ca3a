// SPDX-License-Identifier: Apache-2.0
// What a thief does that has lost a job to another thread: it goes on to its next victim or, under TBB 4.1's policy,
// backs off in five growing steps, then yields, and tries the same victim again (Iordan et al. 2015, section 3.1).
// Pure, so that the simulator compiles the same file.
#pragma once

#include "sched/policy/victim.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

struct lost_theft {
  static constexpr unsigned steps = 5;

  static constexpr bool tries_again(victim_policy policy) noexcept { return policy == victim_policy::tbb41; }
  // How many pauses the thief makes after this many lost attempts at one victim, the first one counted as 0; 0: it
  // yields.
  static constexpr unsigned pauses(unsigned attempt) noexcept { return attempt < steps ? 1u << attempt : 0; }
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
