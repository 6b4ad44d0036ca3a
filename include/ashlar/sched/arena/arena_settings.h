// SPDX-License-Identifier: Apache-2.0
// How an arena is asked for: the constraints of tbb::task_arena and tbb::info, and the tag of the attaching
// constructors.
#pragma once

#include <ashlar/base/config.h>

namespace tbb {

// Selects the constructors that refer to what the calling thread uses already.
struct attach {};

using numa_node_id = int;
using core_type_id = int;

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace sched {

inline constexpr int automatic_setting = -1;
inline constexpr int not_initialized_setting = -2;
inline constexpr int selectable_setting = -3;

// Where the threads of an arena may run. `automatic` leaves a matter open.
struct constraints {
  // Implicit, as in oneTBB.
  constraints(tbb::numa_node_id node = automatic_setting, int threads = automatic_setting) noexcept  // NOLINT
      : numa_id(node), max_concurrency(threads) {}

  constraints& set_numa_id(tbb::numa_node_id id) noexcept {
    numa_id = id;
    return *this;
  }
  constraints& set_max_concurrency(int threads) noexcept {
    max_concurrency = threads;
    return *this;
  }
  constraints& set_core_type(tbb::core_type_id id) noexcept {
    core_type = id;
    return *this;
  }
  constraints& set_max_threads_per_core(int threads) noexcept {
    max_threads_per_core = threads;
    return *this;
  }

  tbb::numa_node_id numa_id;
  int max_concurrency;
  // One core type, or several (core_types_of_selector), or `automatic`.
  tbb::core_type_id core_type = automatic_setting;
  int max_threads_per_core = automatic_setting;
};

// The number of threads that an arena with these constraints gets. Never 0.
ASHLAR_EXPORT int constrained_concurrency(constraints const& c);

// The core types to which the selector gives a positive score (info.h).
template <typename Selector>
tbb::core_type_id core_types_of_selector(Selector selector);

// Unless the constraints name a core type themselves.
template <typename Selector>
constraints select_core_types(constraints c, Selector selector) {
  if (c.core_type < 0) c.core_type = core_types_of_selector(selector);
  return c;
}

struct arena_settings {
  sched::constraints where;
  unsigned reserved = 1;
  int priority = 1;         // 0 low, 1 normal, 2 high
  bool fast_leave = false;  // workers leave as soon as there is nothing to do
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
