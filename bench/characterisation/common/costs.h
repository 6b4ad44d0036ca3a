// SPDX-License-Identifier: Apache-2.0
// What the operations of IISWC'08 cost as the user sees them, on one thread without thieves: the same measurement for
// every library that has class tbb::task, in ticks of the time stamp counter.
#pragma once

#include "common/library.h"

namespace study {

struct costs {
  bool known = false;   // the library has class tbb::task
  double allocate = 0;  // allocate_child and the task's constructor
  double spawn = 0;
  double get_task = 0;      // wait_for_all per empty task that it runs: get_task, execute, destruction
  double wait_for_all = 0;  // when nothing is left to wait for
};

costs measure_costs();

}  // namespace study
