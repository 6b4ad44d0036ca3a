// SPDX-License-Identifier: Apache-2.0
// A short wait beside a long task: the wait takes only its own group's tasks.
#include <tbb/task_group.h>

#include <chrono>
#include <thread>

int main() {
  tbb::task_group brief, lengthy;
  lengthy.run([] { std::this_thread::sleep_for(std::chrono::seconds(1)); });
  brief.run([] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
  brief.wait(tbb::own_tasks_only);  // not held up by lengthy
  lengthy.wait();
}
