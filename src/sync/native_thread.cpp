// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/native_thread.h>

#include "os/topology.h"

#include <ashlar/base/throw.h>
#include <ashlar/sync/os_mutex.h>

namespace ashlar::inline v1::sync {

pthread_t start_thread(void* (*routine)(void*), void* argument) {
  pthread_t thread{};
  int const error = ::pthread_create(&thread, nullptr, routine, argument);
  if (error) throw_os_error(error, "tbb_thread: pthread_create failed");
  return thread;
}

void join_thread(pthread_t thread) {
  if (::pthread_equal(thread, ::pthread_self())) throw_exception(exception_id::possible_deadlock);
  int const error = ::pthread_join(thread, nullptr);
  if (error) throw_os_error(error, "tbb_thread: pthread_join failed");
}

void detach_thread(pthread_t thread) noexcept { ::pthread_detach(thread); }

unsigned usable_processors() noexcept { return os::available_cpus(); }

}  // namespace ashlar::inline v1::sync
