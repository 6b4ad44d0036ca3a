// SPDX-License-Identifier: Apache-2.0
// Begins the watch for hangs if the environment asks for it (include/ashlar/sched/hang_report.h).
#pragma once

namespace ashlar {
inline namespace v1 {
namespace sched {

// Only the first call does something.
void watch_if_environment_asks() noexcept;
// In the child of a fork, where the watching thread is not.
void forget_hang_watch() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
