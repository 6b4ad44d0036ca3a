// SPDX-License-Identifier: Apache-2.0
// Lets a thread that is no part of the scheduler sleep until so many things have happened.
#pragma once

#include <condition_variable>
#include <mutex>

namespace threads {

class countdown {
 public:
  explicit countdown(int things) : left_(things) {}

  void one_less() {
    std::lock_guard<std::mutex> const hold(lock_);
    if (--left_ == 0) none_.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> hold(lock_);
    none_.wait(hold, [this] { return left_ <= 0; });
  }

 private:
  std::mutex lock_;
  std::condition_variable none_;
  int left_;
};

}  // namespace threads
