// SPDX-License-Identifier: Apache-2.0
// concurrent_unordered_map and concurrent_unordered_multimap: hash maps into which any thread may insert while others
// find and traverse. Elements never move and are not locked; taking elements out needs the map for itself.
//
//   tbb::concurrent_unordered_map<std::string, int> first_line;
//   first_line.insert({word, line});  // any number of threads
//
// * insert, emplace, find, contains, count, equal_range, iteration and range() may run concurrently, operator[] and
// at()
//   too. They take constant time on average; readers never wait. Iterators stay valid; growth is invisible.
// * Names that begin with unsafe_, and clear, merge, swap, rehash, reserve and assignment, need the containers for
//   themselves. unsafe_extract and merge move elements, so they must be movable; the addresses change. The memory of
//   erased elements is used again and goes back to the allocator with clear() or the map's end.
// * The order of iteration is that of memory, near that of insertion; equal elements of a multimap are neighbours.
// * A map that was moved from is empty and has its hash and its equality still: it may be filled again.
// * An exception leaves the map as it was. max_load_factor(f) throws std::out_of_range unless f > 0. Numbers of
//   buckets and elements (of the constructors, rehash and reserve) are hints.
#pragma once

#include <ashlar/containers/concurrent_unordered_map.h>
#include <tbb/tbb_allocator.h>

#include <tbb/detail/closure/containers.h>
#if !ASHLAR_LEAN_HEADERS
#include <functional>
#if !ASHLAR_CLASSIC_DIALECT
#include <algorithm>
#endif
#endif
