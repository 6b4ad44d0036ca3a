// SPDX-License-Identifier: Apache-2.0
// The function behind tbb/parallel_clear.h, which documents it. An algorithm, because containers don't see the
// scheduler.
#pragma once

#include <ashlar/algo/parallel_for.h>
#include <ashlar/algo/partitioner.h>
#include <ashlar/base/blocked_range.h>
#include <ashlar/containers/clear_access.h>

namespace ashlar {
inline namespace v1 {
namespace algo {

/// Runs the parts of a container's clear_parts().
struct run_parts {
  template <typename Range, typename Body>
  void operator()(Range const& range, Body const& body) const {
    // Isolated from cancellation of the caller's group: every element must be destroyed.
    tbb::task_group_context whole(tbb::task_group_context::isolated);
    tbb::auto_partitioner const partitioner;
    for_range(range, body, partitioner, whole);
  }
  template <typename Body>
  void operator()(std::size_t n, std::size_t grain, Body const& body) const {
    (*this)(tbb::blocked_range<std::size_t>(0, n, grain),
            [&body](tbb::blocked_range<std::size_t> const& r) { body(r.begin(), r.end()); });
  }
};

}  // namespace algo
}  // namespace v1
}  // namespace ashlar

namespace tbb {

template <typename Container>
auto parallel_clear(Container& c)
    -> decltype(::ashlar::containers::clear_access::clear(c, ::ashlar::algo::run_parts())) {
  ::ashlar::containers::clear_access::clear(c, ::ashlar::algo::run_parts());
}

}  // namespace tbb
