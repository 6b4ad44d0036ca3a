// SPDX-License-Identifier: Apache-2.0
// The function behind tbb/parallel_clear.h, which documents it. An algorithm, because containers don't see the
// scheduler.
#pragma once

#include <ashlar/algo/blocked_range.h>
#include <ashlar/algo/parallel_for.h>
#include <ashlar/algo/partitioner.h>
#include <ashlar/containers/concurrent_vector.h>

namespace tbb {

template <typename T, typename Allocator>
void parallel_clear(concurrent_vector<T, Allocator>& v) {
  auto& elements = ::ashlar::containers::clear_access::elements(v);
  if constexpr (!std::is_trivially_destructible_v<T>) {
    // Isolated from cancellation of the caller's group: every element must be destroyed.
    task_group_context whole(task_group_context::isolated);
    auto_partitioner const partitioner;
    ::ashlar::algo::for_range(
        blocked_range<std::size_t>(0, elements.claimed(), 256),
        [&elements](blocked_range<std::size_t> const& r) { elements.destroy_range(r.begin(), r.end()); }, partitioner,
        whole);
  }
  elements.forget();
}

}  // namespace tbb
