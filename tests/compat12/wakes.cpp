// SPDX-License-Identifier: Apache-2.0
// Loops of two threads between pauses in which the worker falls asleep: run.py counts the system calls with which it is
// woken. Usage: wakes small|long|mixed COUNT; of a mixed run every tenth loop is long.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <dirent.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

// Whether all threads but this one sleep: a worker that waits for a processor would be awake at the next loop.
bool others_sleep() {
  DIR* const threads = opendir("/proc/self/task");
  if (threads == nullptr) return true;
  bool all = true;
  while (dirent const* const entry = readdir(threads)) {
    long const thread = std::atol(entry->d_name);
    if (thread == 0 || thread == getpid()) continue;
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string text;
    std::getline(file, text);
    auto const at = text.rfind(')');
    all = all && (at == std::string::npos || text.compare(at, 3, ") S") == 0);
  }
  closedir(threads);
  return all;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  tbb::global_control const two(tbb::global_control::max_allowed_parallelism, 2);
  std::string const what = argv[1];
  int const count = std::atoi(argv[2]);
  std::atomic<long> ran{0};
  for (int i = 0; i < count; ++i) {
    bool const is_long = what == "long" || (what == "mixed" && i % 10 == 9);
    tbb::parallel_for(0, 4, [&](int) {
      ++ran;
      auto const begun = std::chrono::steady_clock::now();
      while (is_long && std::chrono::steady_clock::now() - begun < std::chrono::microseconds(200)) {
      }
    });
    usleep(2000);
    for (int k = 0; k < 1000 && !others_sleep(); ++k) usleep(1000);
  }
  std::printf("%ld\n", ran.load());
}
