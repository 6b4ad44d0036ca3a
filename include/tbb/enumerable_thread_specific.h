// SPDX-License-Identifier: Apache-2.0
// enumerable_thread_specific<T, Allocator = cache_aligned_allocator<T>, Key = ets_no_key>: an object per thread that
// can be enumerated by one thread afterwards. flattened2d: its elements, if these are containers, as one sequence.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/base/interface.h>
#include <ashlar/containers/enumerable_thread_specific.h>
#include <ashlar/containers/flattened2d.h>

// Constructors decide how a thread's element is made at its first local():
//   ()                     value-initialised
//   (f)                    f(), if f can be called without arguments; by several threads at once
//   (exemplar)             a copy of it
//   (args…)                T(args…) from copies of the arguments
// Copies and moves take the elements with their owners along; a copied-to or moved-to container knows each thread's.
//
// local(), local(exists)   the calling thread's element, made if it is not there; any number of threads at once. Costs
//                          a few instructions after the first call, and one or two allocations at the first.
// size(), empty(), begin(), end(), range(grain)   the elements that exist, in the order of their making
// combine(f)               f applied to all elements, two at a time; an element as local() makes it if there is none
// combine_each(f)          f(element) for each
// clear()                  destroys the elements; a thread's next local() makes a new one
// Elements outlive their threads. A thread that has none may get that of one that has ended, with its value:
// local(exists) says true then, and combine() sees what both have done. So there are never more elements than threads
// that lived at once (65536 at most; each further one has an element for good). Who wants each thread to begin anew
// sets the value at its start. All but local() must not run beside local(); elements that exist may be read all the
// same. If making an element throws, there is none.
//
// Key: ets_no_key and ets_key_per_instance are the same, for threads that have ended as well; no key of the system is
// used. With ets_suspend_aware a task that is suspended and resumed by another thread keeps its element, which costs a
// search among the elements.
//
// flattened2d(container[, first, last]), flatten2d(container[, first, last]): begin(), end(), size() (linear). The
// container must stay as it is meanwhile. Iterators are forward ones.
#include <tbb/detail/closure/thread_local.h>
