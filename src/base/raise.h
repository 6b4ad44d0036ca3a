// SPDX-License-Identifier: Apache-2.0
// How the library throws: an exception ends the process where the program has asked for that, or can't catch one.
#pragma once

#include "base/strict_exceptions.h"

#include <cstdio>
#include <exception>

namespace ashlar {
inline namespace v1 {

template <typename Exception>
[[noreturn]] void raise(Exception const& exception) {
#if ASHLAR_EXCEPTIONS
  if (exceptions_end_process()) {
    try {
      throw exception;
    } catch (...) {
      std::terminate();  // whose handler sees it
    }
  }
  throw exception;  // NOLINT: by copy on purpose
#else
  std::fprintf(stderr, "ashlar: %s; exceptions are switched off\n", exception.what());
  std::terminate();
#endif
}

}  // namespace v1
}  // namespace ashlar
