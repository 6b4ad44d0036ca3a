// SPDX-License-Identifier: Apache-2.0
// A task that waits for something outside gives its thread away meanwhile.
#include <tbb/task.h>
#include <tbb/task_group.h>
#include <cstdio>
#include <thread>

int main() {
  int answer = 0;
  std::thread device;
  tbb::task_group group;
  group.run([&] {
    tbb::task::suspend([&](tbb::task::suspend_point point) {
      device = std::thread([&answer, point] {  // a GPU, a disk, a message of another process
        answer = 42;
        tbb::task::resume(point);
      });
    });
    ++answer;  // goes on here, perhaps on another thread
  });
  group.wait();
  device.join();
  std::printf("%d\n", answer);
  return answer == 43 ? 0 : 1;
}
