// SPDX-License-Identifier: Apache-2.0
// The lock of the table of names, which is held while the process forks. For sched/api/forks.cpp only.
#pragma once

#include <mutex>

namespace ashlar {
inline namespace v1 {

std::mutex& names_lock() noexcept;

}  // namespace v1
}  // namespace ashlar
