// SPDX-License-Identifier: Apache-2.0
// What the allocators' headers bring along.
#pragma once

#if !ASHLAR_LEAN_HEADERS
#include <tbb/detail/closure/base.h>
#if !ASHLAR_CLASSIC_DIALECT
#include <cstring>
#include <memory_resource>
#endif
#endif
