// SPDX-License-Identifier: Apache-2.0
// What a thread keeps of its sleeps in waits: rest.h.
//
// Threads    the thread whose data it is part of; `begun` any.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct rest_state {
  std::uint64_t slept = 0;     // since the last look, in nanoseconds
  std::uint64_t interval = 0;  // between two looks
  atomic<bool> begun{false};
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
