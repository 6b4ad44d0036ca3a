// SPDX-License-Identifier: Apache-2.0
// Records a long trace: loops of tiny tasks, and groups inside of tasks. Each round has about 450,000 events, and tasks
// whose number check.py knows.
//
//     ASHLAR_TRACE=long.trace ASHLAR_TRACE_LIMIT=2000 sim_long_trace ROUNDS
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstdlib>

namespace {

constexpr int tasks_of_a_round = 100'000;

std::atomic<long> sum{0};

// region tiny_loop: 99,999 tasks a round
void tiny_loop() {
  tbb::parallel_for(
      tbb::blocked_range<int>(0, tasks_of_a_round), [](tbb::blocked_range<int> const& r) { sum += r.begin(); },
      tbb::simple_partitioner());
}

// region groups_inside: 50,000 tasks a round, and the loop's own ones
void groups_inside() {
  tbb::parallel_for(0, tasks_of_a_round / 100, [](int) {
    tbb::task_group group;
    for (int i = 0; i < 50; ++i) group.run([] { ++sum; });
    group.wait();
  });
}

}  // namespace

int main(int count, char** values) {
  int const rounds = count > 1 ? std::atoi(values[1]) : 1;
  for (int i = 0; i < rounds; ++i) {
    tiny_loop();
    groups_inside();
  }
}
