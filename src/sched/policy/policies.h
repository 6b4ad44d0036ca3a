// SPDX-License-Identifier: Apache-2.0
// The policies in force: from the environment (ASHLAR_VICTIM_POLICY, ASHLAR_IDLE_POLICY, ASHLAR_WAIT_POLICY) or set
// by the API (ashlar/sched/policy/policy.h). Read once per search, so a change takes effect
// at once.
//
// Ordering   [X1] the environment has been read -> [X2] everybody
#pragma once

#include "sched/policy/idle.h"
#include "sched/policy/victim.h"
#include "sched/policy/wait_policy.h"

#include <ashlar/base/atomic.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct policies {
  atomic<victim_policy> victim{victim_policy::by_size};
  atomic<idle_policy> idle{idle_policy::park};
  atomic<wait_policy> wait{wait_policy::any};

  static policies& get() noexcept;
  // Variables that are not set change nothing; a bad value prints a line.
  void read_environment() noexcept;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
