// SPDX-License-Identifier: Apache-2.0
// How long an enqueued task waits, each in an arena that has just been made, while another application thread runs
// small loops without a pause.
#include "starve.h"
#include "team.h"

#include <atomic>
#include <thread>

namespace {

class beside_small_loops {
 public:
  explicit beside_small_loops(int threads) : team_(threads), loops_([this] { run_loops(); }) {}
  ~beside_small_loops() {
    stop_ = true;
    loops_.join();
  }
  beside_small_loops(beside_small_loops const&) = delete;
  beside_small_loops& operator=(beside_small_loops const&) = delete;

  template <typename Wait>
  void give(threads::begin_of_task& task, Wait const& wait) {
    tbb::task_arena fresh(2);
    fresh.enqueue([&task] { task.tell(); });
    wait();
  }

 private:
  void run_loops() {
    std::atomic<long> ran{0};
    while (!stop_) tbb::parallel_for(0, 1000, [&](int) { ran.fetch_add(1, std::memory_order_relaxed); });
  }

  threads::team team_;
  std::atomic<bool> stop_{false};
  std::thread loops_;
};

}  // namespace

int main(int argc, char** argv) { return threads::starve_main<beside_small_loops>(argc, argv); }
