// SPDX-License-Identifier: Apache-2.0
// What the locks' headers bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/detail/closure/atomic.h>
#include <tbb/detail/closure/base.h>
#if !ASHLAR_CLASSIC_DIALECT
#include <string>
#endif
#endif
