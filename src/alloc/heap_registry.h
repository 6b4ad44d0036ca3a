// SPDX-License-Identifier: Apache-2.0
// The heaps that there are, and those of them that are idle: left by a thread, not yet adopted by the next one. Whoever
// mails an object to an idle heap sees to it himself. Threads: any.
#pragma once

#include "alloc/heap.h"
#include "alloc/lock.h"

namespace ashlar {
inline namespace v1 {
namespace alloc {

// An idle heap, or a new one; null if there is no memory for it.
heap* adopt_heap() noexcept;
// Sees to the heap's mail and makes it idle.
void leave_heap(heap* h) noexcept;

// The heap has mail and no thread: does what its owner would do.
void tend_idle_heap(heap* h) noexcept;

// Cleans idle heaps now. True: something was given to the backend.
bool clean_idle_heaps() noexcept;

// Calls f(heap const&) for every heap there ever was, under the registry's lock.
void for_each_heap(void (*f)(heap const&, void*), void* arg) noexcept;

// The registry's lock, for fork and for what happens once in a process.
slow_lock& heap_registry_lock() noexcept;
// In the child of a fork: mail may have been copied half-written.
void forget_mail_of_idle_heaps() noexcept;

}  // namespace alloc
}  // namespace v1
}  // namespace ashlar
