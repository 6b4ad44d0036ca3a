// SPDX-License-Identifier: Apache-2.0
// global_control: how many threads a part of the program may use. Counts the threads that took part in a loop.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

std::size_t threads_used() {
  std::mutex guard;
  std::set<std::thread::id> seen;
  std::atomic<long> work{0};
  tbb::parallel_for(0, 20000, [&](int i) {
    for (int k = 0; k < 500; ++k) {
      work.fetch_add(i ^ k, std::memory_order_relaxed);
    }
    std::lock_guard<std::mutex> lock(guard);
    seen.insert(std::this_thread::get_id());
  });
  return seen.size();
}

int main() {
  std::size_t limited;
  {
    tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    limited = threads_used();
  }
  std::size_t const all = threads_used();
  std::printf("limited to one: %zu thread; unlimited: %zu\n", limited, all);
  return limited == 1 && all >= 1 ? 0 : 1;
}
