// SPDX-License-Identifier: Apache-2.0
// concurrent_vector<T, Allocator = cache_aligned_allocator<T>>: an array that several threads grow and read at once.
// Elements never move while it grows, so references, pointers and iterators stay valid.
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/base/interface.h>
#include <ashlar/containers/concurrent_vector.h>

// Concurrently with each other: grow_by, grow_to_at_least, push_back, emplace_back, operator[], at, front, back, size,
// empty, capacity, max_size, range, begin, end and the iterators. Nothing else may run beside anything.
//
// grow_by(n), (n, value), (first, last), (list)   appends consecutive elements; returns an iterator to the first. Of a
//                                                 single-pass sequence other threads' elements may lie in between.
// grow_to_at_least(n), (n, value)                 appends what is missing of n elements. Returns an iterator to the
//                                                 first new element, or to element n if there is none. Elements that
//                                                 other threads append may still be under construction.
// push_back(value), emplace_back(args)            appends one; returns an iterator to it
// operator[](i)                                   unchecked; at(i) throws std::out_of_range for i >= size()
// size()                                          elements whose memory exists; some may be under construction
// capacity()                                      how far the array can grow without an allocation
// reserve(n)                                      throws std::length_error if n > max_size()
// shrink_to_fit(), compact()                      puts all elements into one block; invalidates everything
// resize(n), (n, value); assign(…); clear()       clear() and resize() keep the memory
//
// Growth is lock-free but for a thread that needs a segment that another one is allocating. An appended element costs
// one locked instruction; an indexed read costs a bit scan, two loads and an addition. Memory grows by doubling and is
// at most twice what the elements need (pages that are never touched are not used), and 112 bytes for the vector
// itself.
//
// Exceptions. If a constructor throws during growth, the elements of that call that are not yet constructed are filled
// with zero bytes and count as elements: T's destructor must bear that. A failed assignment of a vector leaves the
// elements that were copied. If an allocation throws, the memory of that
// call's segments is missing for ever: size() ends before the gap, at() throws std::range_error there, and growth
// beyond it throws bad_last_alloc. clear() and assignment make such a vector whole. copying and comparing see size()
// elements. Growth beyond max_size() throws std::length_error and changes nothing.
//
// With ASHLAR_CLASSIC_DIALECT and TBB_DEPRECATED=1, growth returns indices, as TBB did before version 3.
namespace tbb {}

#include <tbb/detail/closure/containers.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/blocked_range.h>
#include <algorithm>
#include <limits>
#endif
