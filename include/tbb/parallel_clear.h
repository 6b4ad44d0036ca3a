// SPDX-License-Identifier: Apache-2.0
// parallel_clear(c): as c.clear(), for containers whose elements are many or dear to destroy: concurrent_vector,
// concurrent_hash_map, the unordered and the ordered maps and sets, whose own headers the caller includes. An
// extension.
//
// Destroys the elements by all threads of the caller's arena, in no order; their destructors must not throw and may run
// at the same time, and so may the allocator's deallocate. Iterators and references end; a vector keeps its memory.
// Nothing else may use the container meanwhile. Takes time linear in the elements, divided among the threads; the
// memory of the hash tables' nodes is freed in chunks by the caller.
#pragma once

#include <ashlar/algo/parallel_clear.h>
#include <ashlar/base/interface.h>
#include <tbb/concurrent_vector.h>
#include <tbb/parallel_for.h>

namespace tbb {}
