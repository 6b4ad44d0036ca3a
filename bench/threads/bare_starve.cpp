// SPDX-License-Identifier: Apache-2.0
// The floor of starve.cpp: one bare thread gives tasks to another one, while as many threads compute as small loops
// keep busy there. What the system's scheduler takes to let a thread run that has been woken.
#include "starve.h"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace {

class beside_busy_threads {
 public:
  explicit beside_busy_threads(int threads) : server_([this] { serve(); }) {
    for (int i = 1; i < threads; ++i) busy_.emplace_back([this] { compute(); });
  }
  ~beside_busy_threads() {
    stop_ = true;
    {
      std::lock_guard<std::mutex> const hold(lock_);
    }
    given_.notify_one();
    server_.join();
    for (std::thread& thread : busy_) thread.join();
  }
  beside_busy_threads(beside_busy_threads const&) = delete;
  beside_busy_threads& operator=(beside_busy_threads const&) = delete;

  template <typename Wait>
  void give(threads::begin_of_task& task, Wait const& wait) {
    {
      std::lock_guard<std::mutex> const hold(lock_);
      task_ = &task;
    }
    given_.notify_one();
    wait();
  }

 private:
  void compute() {
    while (!stop_) {
    }
  }
  void serve() {
    std::unique_lock<std::mutex> hold(lock_);
    while (!stop_) {
      if (task_ != nullptr) std::exchange(task_, nullptr)->tell();
      given_.wait(hold, [this] { return task_ != nullptr || stop_; });
    }
  }

  std::atomic<bool> stop_{false};
  std::mutex lock_;
  std::condition_variable given_;
  threads::begin_of_task* task_ = nullptr;
  std::thread server_;
  std::vector<std::thread> busy_;
};

}  // namespace

int main(int argc, char** argv) { return threads::starve_main<beside_busy_threads>(argc, argv); }
