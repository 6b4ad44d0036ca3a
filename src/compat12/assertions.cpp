// SPDX-License-Identifier: Apache-2.0
// Assertions in the inlined code of foreign programs, and the handler that they may install for them.
#include "contract.h"

#include <cstdio>
#include <cstdlib>

namespace tbb::detail::r1 {

namespace mo = ashlar::mo;

using assertion_handler = void (*)(char const* location, int line, char const* expression, char const* comment);

static void print_and_abort(char const* location, int line, char const* expression, char const* comment) {
  std::fprintf(stderr, "tbb: assertion failed in %s, line %d: %s%s%s\n", location, line, expression,
               comment != nullptr ? ": " : "", comment != nullptr ? comment : "");
  std::fflush(stderr);
  std::abort();
}

// [AH1] set_assertion_handler: what the handler uses, release -> [AH2] assertion_failure calls it: acquire
static constinit ashlar::atomic<assertion_handler> handler{&print_and_abort};

ASHLAR_EXPORT void assertion_failure(char const* location, int line, char const* expression, char const* comment) {
  handler.load(mo::acquire)(location, line, expression, comment);  // [AH2]
}
// Null: the one that prints a line and aborts. Returns the one before.
ASHLAR_EXPORT assertion_handler set_assertion_handler(assertion_handler fresh) noexcept {
  return handler.exchange(fresh != nullptr ? fresh : &print_and_abort, mo::acq_rel);  // [AH1] [AH2]
}
ASHLAR_EXPORT assertion_handler get_assertion_handler() noexcept { return handler.load(mo::acquire); }  // [AH2]

}  // namespace tbb::detail::r1
