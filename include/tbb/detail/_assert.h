// SPDX-License-Identifier: Apache-2.0
// The assertion handler by its public names: tbb::set_assertion_handler (also in tbb::ext), and the macros and
// functions below it that published programs use.
#pragma once

#include <ashlar/base/assert.h>

#define __TBB_ASSERT_RELEASE(predicate, message) \
  ((predicate) ? (void)0 : ::ashlar::assertion_failure(__func__, __LINE__, #predicate, message))
#define __TBB_ASSERT(predicate, message) ASHLAR_ASSERT(predicate, message)
// Evaluates the predicate in every build.
#if TBB_USE_ASSERT
#define __TBB_ASSERT_EX(predicate, message) __TBB_ASSERT_RELEASE(predicate, message)
#else
#define __TBB_ASSERT_EX(predicate, message) ((void)(1 && (predicate)))
#endif

namespace tbb {

/// void(char const* location, int line, char const* expression, char const* comment). `comment` may be null.
using assertion_handler_type = ::ashlar::assertion_handler;

/// Installs the function that a failed assertion calls and returns the one before; null restores the default,
/// which prints one line and aborts. When a handler returns, the process aborts. Thread-safe.
inline assertion_handler_type set_assertion_handler(assertion_handler_type handler) noexcept {
  return ::ashlar::set_assertion_handler(handler);
}
/// The installed handler, or null for the default.
inline assertion_handler_type get_assertion_handler() noexcept { return ::ashlar::get_assertion_handler(); }
/// What a failed assertion calls.
using ::ashlar::assertion_failure;

namespace ext {
using ::tbb::assertion_handler_type;
using ::tbb::get_assertion_handler;
using ::tbb::set_assertion_handler;
}  // namespace ext

namespace detail {
namespace r1 {
inline namespace ashlar_v1 {
using ::tbb::assertion_failure;
using ::tbb::assertion_handler_type;
}  // namespace ashlar_v1
}  // namespace r1
}  // namespace detail

}  // namespace tbb
