// SPDX-License-Identifier: Apache-2.0
// How the picture of all threads is told (include/ashlar/sched/report/hang_report.h).
#pragma once

#include "sched/report/hang_roll.h"

namespace ashlar {
inline namespace v1 {
namespace sched {

// Prints the threads that are stuck and all else that the report has. Throws std::bad_alloc.
void print_stuck(hang_roll const& roll);
// The threads whose tasks compute or sleep only. Throws std::bad_alloc.
void print_busy(hang_roll const& roll);

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
