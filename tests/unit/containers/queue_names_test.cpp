// SPDX-License-Identifier: Apache-2.0
#include "queue_names.h"

TEST_CASE("names of the queues") {
  name_all_queues();
  name_unbounded<oneapi::tbb::concurrent_queue<int>>();
  name_unbounded<tbb::strict_ppl::concurrent_queue<int>>();
}
