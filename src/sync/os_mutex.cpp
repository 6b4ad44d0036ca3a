// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/os_mutex.h>

#include "os/native_calls.h"

#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

namespace ashlar::inline v1::sync {

void throw_os_error(int error, char const* what) {
#if ASHLAR_EXCEPTIONS
  throw std::runtime_error(std::string(what) + ": " + std::strerror(error));
#else
  (void)error;
  (void)what;
  std::terminate();
#endif
}

void init_recursive(os::native_mutex& m) {
  if (int const error = os::make_recursive(m)) throw_os_error(error, "recursive_mutex: initialisation failed");
}

}  // namespace ashlar::inline v1::sync
