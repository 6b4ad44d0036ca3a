// SPDX-License-Identifier: Apache-2.0
// concurrent_lru_cache<Key, Value, ValueFunction = Value (*)(Key)>: values that a function makes of keys, each made
// once and kept as long as a handle to it exists, and beyond that while it is among the `history` ones that were
// released last.
//
//   tbb::concurrent_lru_cache<int, image> images(&load, 100);
//   auto h = images[7];  // calls load(7), or waits for the thread that does, or finds the image
//   draw(h.value());
//
// operator[] and the handles of different threads are thread-safe. A handle moves and is empty afterwards; `if
// (handle)`. Keys need operator<. O(log n) under a lock; the function runs outside of it. What the function throws goes
// to its caller; a thread that waits for the same key then calls the function itself.
#pragma once

#include <ashlar/base/interface.h>
#include <ashlar/containers/lru_cache.h>

#include <tbb/detail/closure/atomic.h>
#include <tbb/detail/closure/base.h>
#if !ASHLAR_LEAN_HEADERS
#include <algorithm>
#include <list>
#include <map>
#endif
