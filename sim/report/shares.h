// SPDX-License-Identifier: Apache-2.0
// How the threads' time divides at one point of the curve. The shares sum to 1.
#pragma once

#include "report/scalability.h"

#include <array>

namespace ashlar::sim {

inline constexpr std::array<char const*, 7> share_names = {
    "work", "scheduling", "steals", "failed steals", "no tasks yet", "no tasks left", "no tasks to take"};
inline constexpr char const* shares_note =
    "A thread is idle before its first task (no tasks yet: ramp-up and the program's serial beginning), after its last "
    "(no tasks left), or between (no tasks to take).";

// Idle time beyond the looking itself (pausing, parked) by its cause.
std::array<double, 7> time_shares(result const& r);

}  // namespace ashlar::sim
