// SPDX-License-Identifier: Apache-2.0
#include <ashlar/sync/native_thread.h>

#include "os/native_calls.h"
#include "os/topology.h"

#include <ashlar/base/throw.h>
#include <ashlar/sync/os_mutex.h>

namespace ashlar::inline v1::sync {

os::native_thread start_thread(void* (*routine)(void*), void* argument) {
  os::native_thread thread{};
  int const error = os::start_native(thread, routine, argument);
  if (error) throw_os_error(error, "tbb_thread: pthread_create failed");
  return thread;
}

void join_thread(os::native_thread thread) {
  if (os::is_own(thread)) throw_exception(exception_id::possible_deadlock);
  int const error = os::join_native(thread);
  if (error) throw_os_error(error, "tbb_thread: pthread_join failed");
}

void detach_thread(os::native_thread thread) noexcept { os::detach_native(thread); }

unsigned usable_processors() noexcept { return os::available_cpus(); }

}  // namespace ashlar::inline v1::sync
