// SPDX-License-Identifier: Apache-2.0
// The assertion handler and the report of a failed assertion.
#include <ashlar/base/assert.h>
#include <ashlar/base/atomic.h>

#include <cstdio>
#include <cstdlib>

namespace ashlar {
inline namespace v1 {
namespace {

// Ordering  [AS1] a handler is installed: release -> [AS2] a failure reads it: acquire   (what the handler refers to)
atomic<assertion_handler> installed{nullptr};

}  // namespace

assertion_handler set_assertion_handler(assertion_handler handler) noexcept {
  return installed.exchange(handler, mo::acq_rel);  // [AS1]
}

assertion_handler get_assertion_handler() noexcept {
  return installed.load(mo::acquire);  // [AS2]
}

// A handler may throw nothing (this function is noexcept) and need not return; when it does, the process
// still ends here, because the caller's state is broken.
void assertion_failure(char const* location, int line, char const* expression, char const* comment) noexcept {
  if (assertion_handler const handler = get_assertion_handler()) {
    handler(location, line, expression, comment);
  } else {
    // One call, so that the lines of two failing threads don't mix.
    std::fprintf(stderr, "ashlar: assertion failed: %s, in %s, line %d%s%s\n", expression, location, line,
                 comment ? ": " : "", comment ? comment : "");
    std::fflush(stderr);
  }
  std::abort();
}

}  // namespace v1
}  // namespace ashlar
