// SPDX-License-Identifier: Apache-2.0
// concurrent_hash_map: a map that any thread may read, change, extend and shrink at any time. An accessor holds an
// element: while it does, other threads can't change (const_accessor) or even read it (accessor).
//
//   tbb::concurrent_hash_map<std::string, int> counts;
//   {
//     decltype(counts)::accessor a;
//     counts.insert(a, word);  // finds or makes the element, and locks it
//     ++a->second;
//   }  // the accessor's end unlocks it
//
// * Elements never move: pointers to them are good until they are erased. Growth never stops other threads.
// * insert, emplace, find and count take constant time on average. A thread that can't get an element's lock waits,
//   first spinning, then yielding. Don't hold an accessor while looking for its own key, or two at a time in
//   different orders.
// * erase(key) waits for the element's holders, then destroys it. The memory is used again for new elements, of
// whichever
//   thread, and goes back to the allocator with clear() or the map's end. When more than half of a map's nodes are
//   free, and 32 MB of them, erase() begins to give their pages back to the system, if these are private memory.
// * Numbers of buckets (of the constructors and rehash) are hints; what no table can have is left out.
// * visit_all(f) traverses safely while others insert and erase. begin(), end(), range() and equal_range() don't lock:
//   use them while nobody erases. clear(), rehash(), swap() and assignment need the map for themselves.
// * If an element's constructor, the hash function or the allocator throws, the map is as it was before.
//
// The order of iteration is that of memory, near that of insertion. size() is exact while nobody changes the map.
#pragma once

#include <ashlar/containers/concurrent_hash_map.h>
#include <tbb/tbb_allocator.h>

#include <tbb/detail/closure/containers.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/spin_rw_mutex.h>
#endif
