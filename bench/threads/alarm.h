// SPDX-License-Identifier: Apache-2.0
// A thread that calls functions when their time has come. Times have to be given in ascending order, nearly.
#pragma once

#include "nap.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace threads {

class alarm {
 public:
  alarm() : thread_([this] { serve(); }) {}
  ~alarm() {
    call_at(0, nullptr);
    thread_.join();
  }
  alarm(alarm const&) = delete;
  alarm& operator=(alarm const&) = delete;

  void call_at(double when, std::function<void()> f) {
    std::lock_guard<std::mutex> const hold(lock_);
    calls_.emplace_back(when, std::move(f));
    more_.notify_one();
  }

 private:
  void serve() {
    for (;;) {
      std::unique_lock<std::mutex> hold(lock_);
      more_.wait(hold, [this] { return !calls_.empty(); });
      auto const next = std::move(calls_.front());
      calls_.pop_front();
      hold.unlock();
      if (!next.second) return;
      sleep_until(next.first);
      next.second();
    }
  }

  std::mutex lock_;
  std::condition_variable more_;
  std::deque<std::pair<double, std::function<void()>>> calls_;
  std::thread thread_;
};

}  // namespace threads
