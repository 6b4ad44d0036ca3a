// SPDX-License-Identifier: Apache-2.0
// Where the cases are.
#pragma once

// oneTBB has these names only with them, which its headers look at once.
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define TBB_PREVIEW_FLOW_GRAPH_FEATURES 1
#define TBB_PREVIEW_MEMORY_POOL 1
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1

#include "shapes.h"

// Ours has what oneTBB, with which the same cases can be built, has not.
#if __has_include(<ashlar/base/config.h>)
#define SOAK_OURS 1
#else
#define SOAK_OURS 0
#endif

namespace growth {

/// i -> a size in [low, high), spread evenly over any few values of i in a row, in an order that does not repeat.
inline std::size_t mixed(long i, std::size_t low, std::size_t high) {
  std::uint64_t const fraction = (static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U) >> 32;  // the golden section
  return low + static_cast<std::size_t>((fraction * (high - low)) >> 32);
}
inline std::string some_text(long i) { return std::string(30 + static_cast<std::size_t>(i % 200), 'x'); }

void add_allocator(table& t);
void add_containers(table& t);
void add_phased_containers(table& t);
void add_thread_local(table& t);
void add_locks(table& t);
void add_tasks(table& t);
void add_arenas(table& t);
void add_algorithms(table& t);
void add_flow(table& t);
#if SOAK_OURS
void add_classic(table& t);
void add_own_flow(table& t);
#endif

/// These leak on purpose (leaks.cpp), or do nothing.
void add_leaks(table& t);

}  // namespace growth
