// SPDX-License-Identifier: Apache-2.0
#include "lock_names.h"

TEST_CASE("names of locks, atomics, threads and condition variables") {
  name_all_locks();
  name_all_atomics();
  name_condition_variable();
  name_thread();
  static_assert(sizeof(tbb::mutex) == 1);
}
