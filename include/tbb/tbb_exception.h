// SPDX-License-Identifier: Apache-2.0
// The exceptions of both dialects:
//   bad_last_alloc, user_abort, missing_wait, unsafe_wait, improper_lock, invalid_multiple_scheduling
// and classic TBB's carriers tbb_exception, captured_exception and movable_exception<T>. Exceptions that leave
// the body of an algorithm arrive at its caller unchanged; the carriers are for programs that use them themselves.
#pragma once

#include <ashlar/base/classic_exceptions.h>
#include <ashlar/base/exceptions.h>

#include <tbb/detail/closure/stddef.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/tbb_allocator.h>
#include <cstring>
#include <string>
#endif
