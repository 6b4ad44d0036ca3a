// SPDX-License-Identifier: Apache-2.0
// combinable<T>: a value per thread that is combined into one afterwards; the small sibling of
// enumerable_thread_specific, which says how elements live, who goes on with those of a thread that has ended, and what
// may run at the same time.
//
// combinable(), combinable(f)     elements are value-initialised, or made by f()
// local(), local(exists)          the calling thread's value; any number of threads at once
// combine(f)                      f applied to all values, two at a time; a new value if there is none
// combine_each(f)                 f(value) for each
// clear()                         destroys all values
#pragma once

#include <ashlar/alloc/cache_aligned_allocator.h>
#include <ashlar/base/interface.h>
#include <ashlar/containers/combinable.h>

namespace tbb {}

#include <tbb/detail/closure/thread_local.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/enumerable_thread_specific.h>
#endif
