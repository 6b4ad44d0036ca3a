// SPDX-License-Identifier: Apache-2.0
// Threads of which a test knows which ones live at once.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace test {

template <typename F>
void in_thread(F const& f) {
  std::thread(f).join();
}

// Threads that do one thing each, one after the other, and live until all are done.
class company {
 public:
  company() = default;
  company(company const&) = delete;
  ~company() {
    end_ = true;
    for (std::thread& t : threads_) t.join();
  }
  template <typename F>
  void add(F const& f) {
    std::atomic<bool> done{false};
    threads_.emplace_back([&f, &done, this] {
      f();
      done = true;
      while (!end_) std::this_thread::yield();
    });
    while (!done) std::this_thread::yield();
  }

 private:
  std::atomic<bool> end_{false};
  std::vector<std::thread> threads_;
};

}  // namespace test
