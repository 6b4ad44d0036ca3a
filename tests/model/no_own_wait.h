// SPDX-License-Identifier: Apache-2.0
// For models in which no task waits for its own group: a wait in a task sleeps as long as it likes.
#pragma once

#include "sched/tasks/own_wait.h"

namespace ashlar::inline v1::sched {

bool waits_for_itself(slot const&, context const&) noexcept { return false; }
own_wait::own_wait(slot const& s, context const& own) noexcept : within_(&s.group()), call_(nullptr), own_(&own) {}
bool own_wait::may_sleep(sleeper&) noexcept { return true; }

}  // namespace ashlar::inline v1::sched
