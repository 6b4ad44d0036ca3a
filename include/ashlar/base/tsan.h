// SPDX-License-Identifier: Apache-2.0
// What ThreadSanitizer has to be told of the library's edges when it watches a program but not the library, which is
// not compiled with it. Empty in other builds.
//
// release(p) ... acquire(p) is an edge from the one to the other, as between a release store and an acquire load of *p.
// An address stands for a task, a group, a lock; one that stood for something else before brings edges too many, which
// can hide a race but not invent one.
//
// A lock that is released by a read-modify-write in a header, and acquired in the library, needs release() before that:
// the sanitizer makes the access first and notes the edge then, and acquire() leaves at once where no edge was ever
// noted for the address.
#pragma once

#include <ashlar/base/config.h>

#if ASHLAR_TSAN_EDGES
extern "C" {
void __tsan_acquire(void* address);  // NOLINT: the sanitizer's names
void __tsan_release(void* address);  // NOLINT
}
#endif

namespace ashlar {
inline namespace v1 {
namespace tsan {

#if ASHLAR_TSAN_EDGES
ASHLAR_ALWAYS_INLINE void acquire(void const* p) noexcept { __tsan_acquire(const_cast<void*>(p)); }
ASHLAR_ALWAYS_INLINE void release(void const* p) noexcept { __tsan_release(const_cast<void*>(p)); }
#else
ASHLAR_ALWAYS_INLINE void acquire(void const*) noexcept {}
ASHLAR_ALWAYS_INLINE void release(void const*) noexcept {}
#endif

}  // namespace tsan
}  // namespace v1
}  // namespace ashlar
