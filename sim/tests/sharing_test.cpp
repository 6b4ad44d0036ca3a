// SPDX-License-Identifier: Apache-2.0
// What two threads cost each other, measured here: plausible on an idle machine and on a busy one.
#include "real/sharing.h"

#include "os/topology.h"
#include "real/median.h"

#include <doctest/doctest.h>

using namespace ashlar::sim;

TEST_CASE("a median stands in the middle, and differences end at 0") {
  CHECK(median(std::vector<double>{}) == 0);
  CHECK(median(std::vector<int>{3, 1, 2}) == 2);
  CHECK(median(std::vector<int>{4, 1, 2, 3}) == 3);
  CHECK(difference(5u, 3u) == 2);
  CHECK(difference(3u, 5u) == 0);
}

TEST_CASE("what threads cost each other is there with two processors only") {
  bool const two = ashlar::os::available_cpus() > 1;
  // A line has no upper bound: both threads may share a processor.
  CHECK((line_transfer(10000) > 0) == two);
  CHECK(theft(1) < millisecond);
  CHECK(task_away() < millisecond);
  if (!two) CHECK(task_away() + theft(1) == 0);
}
