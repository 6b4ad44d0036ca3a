// SPDX-License-Identifier: Apache-2.0
// tbb::deprecated::concurrent_queue: the queue of TBB 2.0 and 2.1, by its old member names on the bounded queue. In the
// classic dialect TBB_DEPRECATED makes it tbb::concurrent_queue.
#pragma once

#include <ashlar/containers/bounded_queue.h>

namespace tbb {
namespace deprecated {

template <typename T, typename Allocator = ::tbb::cache_aligned_allocator<T>>
class concurrent_queue : public concurrent_bounded_queue<T, Allocator> {
  using base = concurrent_bounded_queue<T, Allocator>;

 public:
  using typename base::const_iterator;
  using typename base::iterator;

  using base::base;
  concurrent_queue() = default;

  /// False when the queue is full or empty, respectively.
  bool push_if_not_full(T const& value) { return this->try_push(value); }
  bool pop_if_present(T& result) { return this->try_pop(result); }

  /// Not thread-safe.
  iterator begin() noexcept { return this->unsafe_begin(); }
  iterator end() noexcept { return this->unsafe_end(); }
  const_iterator begin() const noexcept { return this->unsafe_begin(); }
  const_iterator end() const noexcept { return this->unsafe_end(); }
};

}  // namespace deprecated

#if ASHLAR_CLASSIC_DIALECT && defined(TBB_DEPRECATED) && TBB_DEPRECATED - 0
using deprecated::concurrent_queue;
#endif

}  // namespace tbb
