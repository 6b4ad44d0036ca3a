// SPDX-License-Identifier: Apache-2.0
// concurrent_queue<T, A>: an unbounded first-in-first-out queue for any number of threads that push and pop.
// concurrent_bounded_queue<T, A>: the same with a capacity and with operations that wait.
// Allocator: cache_aligned_allocator<T> by default.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/base/interface.h>
#include <ashlar/containers/bounded_queue.h>
#include <ashlar/containers/concurrent_queue.h>
#include <ashlar/containers/deprecated_queue.h>

// Concurrently with each other: the pushes and pops, empty, unsafe_size, size, capacity, set_capacity, abort. Nothing
// else may run beside anything. Both queues are linearizable. An element costs one locked instruction to push and one
// to pop; elements of one thread leave the queue in the order in which it pushed them.
//
// push(value), emplace(args)      append. The bounded queue waits while it is full.
// try_push(value), try_emplace    bounded: false, and nothing happened, when it is full
// try_pop(result)                 moves the oldest element into result; false if there is none
// pop(result)                     bounded: waits for an element
// abort()                         bounded: ends the operations that wait; they throw tbb::user_abort
// size()                          bounded: elements and waiting producers minus waiting consumers; may be negative
// unsafe_size()                   unbounded: elements; exact when nobody pushes or pops
// set_capacity(n)                 bounded: n < 0 means unlimited, which is the default. With 0 a push waits for a pop.
// unsafe_begin(), unsafe_end()    forward iterators for debugging, oldest first
// ==, !=                          the same elements in the same order; nobody may push or pop
//
// A wait spins for some microseconds, then sleeps. Exceptions: if a constructor throws, its element does not exist and
// the queue goes on; likewise if memory is short (std::bad_alloc). If moving into `result` throws, the popped element
// is gone.
namespace tbb {}

// The names below the public surface that programs have used.
namespace tbb {
namespace detail {
namespace d2 {
inline namespace ashlar_v1 {
using ::tbb::concurrent_queue;
}  // namespace ashlar_v1
}  // namespace d2
}  // namespace detail
}  // namespace tbb

#include <tbb/detail/closure/containers.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/spin_mutex.h>
#endif
