// SPDX-License-Identifier: Apache-2.0
// What the scheduler does when the process forks: forks.cpp.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace sched {

// Does nothing: called where a thread begins to use the scheduler, so that the linker takes the hooks from a static
// library.
void link_fork_hooks() noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
