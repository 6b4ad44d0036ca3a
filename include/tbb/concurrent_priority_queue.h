// SPDX-License-Identifier: Apache-2.0
// concurrent_priority_queue<T, Compare = std::less<T>, Allocator = cache_aligned_allocator<T>>: threads push elements
// and pop the greatest one.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/base/interface.h>
#include <ashlar/containers/priority_queue.h>

// Concurrently with each other: push, emplace, try_pop, size, empty. Nothing else may run beside anything.
// Linearizable. push and try_pop take O(log n) comparisons under a lock that spins, then sleeps; try_pop on an empty
// queue only reads. Elements that compare equal leave in any order, or in that of their coming if Compare is a
// stable_order<...>.
//
// Exceptions: push does nothing if a copy, the memory or a comparison throws, try_pop nothing if the assignment or a
// comparison throws, but that `result` may have changed. Moving elements must not throw. If a copy or the memory throws
// in an assignment, the queue is empty.
//
// Small elements without a destructor (trivially copied and destroyed) are cheapest: one that is popped soon after it
// was pushed never moves in the heap.
#include <tbb/detail/closure/containers.h>
#if !ASHLAR_LEAN_HEADERS
#include <functional>
#endif
