// SPDX-License-Identifier: Apache-2.0
// What the headers of both TBBs bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_CLASSIC_DIALECT
#include <tbb/detail/_exception.h>
#include <tbb/detail/_export.h>
#include <tbb/detail/_utils.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <functional>
#include <thread>
#endif
#endif
