// SPDX-License-Identifier: Apache-2.0
#define ASHLAR_CLASSIC_DIALECT 1
#define TBB_DEPRECATED 1
#include "queue_names.h"

TEST_CASE("names of the queues, classic dialect with deprecated names") {
  name_all_queues();
  name_deprecated<tbb::concurrent_queue<int>>();
  name_unbounded<tbb::strict_ppl::concurrent_queue<int>>();
}
