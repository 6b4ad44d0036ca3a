// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/os_mutex.h>

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

void init_recursive(pthread_mutex_t& m) {
  pthread_mutexattr_t attributes;
  int error = ::pthread_mutexattr_init(&attributes);
  if (!error) {
    error = ::pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    if (!error) error = ::pthread_mutex_init(&m, &attributes);
    ::pthread_mutexattr_destroy(&attributes);
  }
  if (error) throw_os_error(error, "recursive_mutex: initialisation failed");
}

}  // namespace ashlar::inline v1::sync
