// SPDX-License-Identifier: Apache-2.0
// concurrent_map and concurrent_multimap: sorted maps into which any thread may insert while others find and traverse.
// Elements never move and are not locked; taking elements out needs the map for itself.
//
// * insert, emplace, find, contains, count, the bounds, iteration, range(), operator[] and at() may run concurrently
// and
//   never wait. Searches and insertions take logarithmic time on average. Iterators stay valid.
// * Names that begin with unsafe_, and clear, merge, swap and assignment, need the containers for themselves.
//   unsafe_extract and merge hand nodes over: no element is moved or copied.
// * Equal elements of a multimap are in the order of insertion. An exception leaves the map as it was: unsafe_erase of
//   a key or of a range compares before the first element goes. merge keeps each element in one of the two maps.
// * A map that was moved from is empty and has its comparison still: it may be filled again.
#pragma once

#include <ashlar/containers/concurrent_map.h>
#include <tbb/tbb_allocator.h>

#include <tbb/detail/closure/containers.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/enumerable_thread_specific.h>
#include <tbb/spin_mutex.h>
#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <random>
#endif
