// SPDX-License-Identifier: Apache-2.0
// How many processors' worth the system allows this process now: somebody may change its threads' affinity masks, or
// the quota of its control groups, while it runs. Nobody tells a process of that, so it has to look: an idle thread
// asks recent_allowance() as often as it likes, and twice a second one such call looks (some 100 us).
//
// Any thread may call.
#pragma once

#include "os/cgroup.h"

#include <string>

namespace ashlar {
inline namespace v1 {
namespace os {

// The CPUs in the affinity masks of all threads of this process together; 0 if the system does not tell. The mask of
// one thread says little: programs pin single threads.
unsigned cpus_of_all_threads() noexcept;

// Looks: those, or the control groups' quota if that is smaller; at least 1. 0: unknown. `root` is put before the paths
// of the control groups, as in cgroup.h.
unsigned read_allowance(std::string const& root, cgroup::mount_test mounted = cgroup::is_mounted) noexcept;

// Looks if the last look is half a second ago, and tells whether the caller is the one that looked. `allowance`: what
// it found. The first call only starts the clock.
bool recent_allowance(unsigned& allowance) noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
