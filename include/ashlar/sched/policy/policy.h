// SPDX-License-Identifier: Apache-2.0
// Choosing the scheduler's policies at run time; the environment variables ASHLAR_VICTIM_POLICY, ASHLAR_IDLE_POLICY
// and ASHLAR_WAIT_POLICY set the initial ones. Every policy computes the same results.
//
// Thread safety: any thread, any time; takes effect at the next search for work.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace sched {

// victim: by_size (default), distance, random, pseudo_random, occupancy, tbb41, hybrid.
// idle:   park (default), yield, spin, tbb41.
// wait:   any (default), depth, leapfrog.
// Each returns false, and changes nothing, if the name is unknown.
ASHLAR_EXPORT bool set_victim_policy(char const* name) noexcept;
ASHLAR_EXPORT bool set_idle_policy(char const* name) noexcept;
ASHLAR_EXPORT bool set_wait_policy(char const* name) noexcept;
ASHLAR_EXPORT char const* get_victim_policy() noexcept;
ASHLAR_EXPORT char const* get_idle_policy() noexcept;
ASHLAR_EXPORT char const* get_wait_policy() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
