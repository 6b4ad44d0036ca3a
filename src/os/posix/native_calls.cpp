// SPDX-License-Identifier: Apache-2.0
#include "os/native_calls.h"

namespace ashlar::inline v1::os {

int make_recursive(native_mutex& m) noexcept {
  pthread_mutexattr_t attributes;
  int error = ::pthread_mutexattr_init(&attributes);
  if (error != 0) return error;
  error = ::pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  if (error == 0) error = ::pthread_mutex_init(&m, &attributes);
  ::pthread_mutexattr_destroy(&attributes);
  return error;
}

int start_native(native_thread& thread, void* (*routine)(void*), void* argument) noexcept {
  return ::pthread_create(&thread, nullptr, routine, argument);
}
bool is_own(native_thread thread) noexcept { return ::pthread_equal(thread, ::pthread_self()) != 0; }
int join_native(native_thread thread) noexcept { return ::pthread_join(thread, nullptr); }
void detach_native(native_thread thread) noexcept { ::pthread_detach(thread); }

}  // namespace ashlar::inline v1::os
