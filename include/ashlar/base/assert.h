// SPDX-License-Identifier: Apache-2.0
// Assertions. ASHLAR_ASSERT costs nothing unless TBB_USE_ASSERT is 1 (the default of debug builds); a failed
// one calls the handler that the user installed, else prints one line to stderr and aborts.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {

using assertion_handler = void (*)(char const* location, int line, char const* expression, char const* comment);

// Calls the installed handler, or prints and aborts. Thread-safe.
[[noreturn]] ASHLAR_EXPORT void assertion_failure(char const* location, int line, char const* expression,
                                                  char const* comment) noexcept;
// Installs a handler (null restores the default) and returns the one before. Thread-safe.
ASHLAR_EXPORT assertion_handler set_assertion_handler(assertion_handler handler) noexcept;
ASHLAR_EXPORT assertion_handler get_assertion_handler() noexcept;

// A call of the program's has a bad argument: tells the handler that the program has installed, which may throw. Where
// there is none, or it returns, the caller goes on as it does without one.
inline void tell_of_bad_argument(char const* location, char const* expression, char const* comment,
                                 int line = __builtin_LINE()) {
  if (assertion_handler const handler = get_assertion_handler()) handler(location, line, expression, comment);
}

}  // namespace v1
}  // namespace ashlar

#if TBB_USE_ASSERT
#define ASHLAR_ASSERT(expression, comment) \
  ((expression) ? (void)0 : ::ashlar::assertion_failure(__func__, __LINE__, #expression, comment))
#else
#define ASHLAR_ASSERT(expression, comment) ((void)0)
#endif
