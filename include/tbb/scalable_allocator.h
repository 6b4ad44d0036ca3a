/* SPDX-License-Identifier: Apache-2.0
 * The scalable memory allocator: the C functions scalable_*, which C programs may use too, and for C++ the class
 * scalable_allocator, scalable_memory_resource() and the low-level interface of memory pools (namespace rml).
 * Link with TBB::tbbmalloc.
 *
 * The C functions may be called by any thread at any time, also before main, in late destructors of thread-local
 * objects and in a forked child; an object may be freed by another thread than the one that allocated it. Small objects
 * take constant time, and no lock where a thread frees what it allocated itself. Sizes are in bytes. The functions
 * follow ISO C and POSIX. */
#ifndef ASHLAR_TBB_SCALABLE_ALLOCATOR_H
#define ASHLAR_TBB_SCALABLE_ALLOCATOR_H

#include <ashlar/alloc/scalable_malloc.h>

#ifdef __cplusplus
#include <ashlar/alloc/pool_interface.h>
#include <ashlar/alloc/scalable_allocator.h>
#endif

#endif

#ifdef __cplusplus
#include <tbb/detail/closure/memory.h>
#endif
