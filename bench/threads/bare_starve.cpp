// SPDX-License-Identifier: Apache-2.0
// The floor of starve.cpp: one bare thread gives tasks to another one, while a third one computes. What the system's
// scheduler takes to let a thread run that has been woken.
#include "starve.h"

#include <atomic>
#include <thread>
#include <utility>

namespace {

class beside_a_busy_thread {
 public:
  explicit beside_a_busy_thread(int) : busy_([this] { compute(); }), server_([this] { serve(); }) {}
  ~beside_a_busy_thread() {
    stop_ = true;
    {
      std::lock_guard<std::mutex> const hold(lock_);
    }
    given_.notify_one();
    server_.join();
    busy_.join();
  }
  beside_a_busy_thread(beside_a_busy_thread const&) = delete;
  beside_a_busy_thread& operator=(beside_a_busy_thread const&) = delete;

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
  std::thread busy_;
  std::thread server_;
};

}  // namespace

int main(int argc, char** argv) { return threads::starve_main<beside_a_busy_thread>(argc, argv); }
