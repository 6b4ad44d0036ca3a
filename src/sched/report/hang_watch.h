// SPDX-License-Identifier: Apache-2.0
// The thread that watches for hangs and prints reports that a signal asks for
// (include/ashlar/sched/report/hang_report.h).
#pragma once

namespace ashlar {
inline namespace v1 {
namespace sched {

// Begins the watch if the environment asks for it. Only the first call does something.
void watch_if_environment_asks() noexcept;
// In the child of a fork, where the watching thread is not.
void forget_hang_watch() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
