// SPDX-License-Identifier: Apache-2.0
// parallel_clear(v): as v.clear(), for a concurrent_vector whose elements are many or dear to destroy. An extension.
//
// Destroys the elements by all threads of the caller's arena, in no order; their destructors must not throw and may run
// at the same time. The memory stays. Nothing else may use the vector meanwhile.
#pragma once

#include <ashlar/algo/parallel_clear.h>
#include <ashlar/base/interface.h>
#include <tbb/concurrent_vector.h>
#include <tbb/parallel_for.h>

namespace tbb {}
