// SPDX-License-Identifier: Apache-2.0
#define ASHLAR_CLASSIC_DIALECT 1
#include "lock_names.h"

TEST_CASE("names of locks, atomics, threads and condition variables, classic dialect") {
  name_all_locks();
  name_all_atomics();
  name_condition_variable();
  name_thread();
  static_assert(sizeof(tbb::mutex) == sizeof(pthread_mutex_t));
  tbb::mutex m;
  is<tbb::mutex::native_handle_type>(m.native_handle());
  is<pthread_mutex_t*>(m.native_handle());
  tbb::interface5::condition_variable c;
  is<tbb::interface5::condition_variable::native_handle_type>(c.native_handle());
  is<pthread_cond_t*>(c.native_handle());
}
