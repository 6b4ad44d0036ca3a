// SPDX-License-Identifier: Apache-2.0
// Threads that live as long as the benchmark and do one piece of work after the other together. Thread i stays on one
// CPU: the second of a pair on another one than the first, later pairs change sides. Between two pieces they sleep, so
// that one that has finished takes nothing from the others. To start a thread for each piece costs up to 4 ms here.
#pragma once

#include <bench/threads.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace bench {

class pinned_team {
 public:
  explicit pinned_team(int size) : size_(size) {
    for (int i = 0; i < size; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  ~pinned_team() {
    give(nullptr, nullptr);
    for (std::thread& t : threads_) t.join();
  }
  pinned_team(pinned_team const&) = delete;
  pinned_team& operator=(pinned_team const&) = delete;

  // body(i) in each thread; they begin together. Returns when all have finished.
  template <typename Body>
  void run(Body const& body) {
    give([](void const* b, int i) { (*static_cast<Body const*>(b))(i); }, &body);
    std::unique_lock<std::mutex> hold(lock_);
    changed_.wait(hold, [this] { return working_ == 0; });
  }

 private:
  using piece = void (*)(void const*, int);

  void give(piece work, void const* body) {
    {
      std::lock_guard<std::mutex> const hold(lock_);
      missing_.store(size_);
      working_ = size_;
      work_ = work;
      body_ = body;
      ++given_;
    }
    changed_.notify_all();
  }
  void serve(int i) {
    std::vector<int> const& cpus = allowed_cpus();
    pin_thread(0, cpus[static_cast<std::size_t>(i + i / static_cast<int>(cpus.size())) % cpus.size()]);
    for (int done = 0;; ++done) {
      {
        std::unique_lock<std::mutex> hold(lock_);
        changed_.wait(hold, [&] { return given_ != done; });
      }
      if (!work_) return;
      missing_.fetch_sub(1);
      while (missing_.load() != 0) sched_yield();
      work_(body_, i);
      std::lock_guard<std::mutex> const hold(lock_);
      if (--working_ == 0) changed_.notify_all();
    }
  }

  int const size_;
  std::mutex lock_;
  std::condition_variable changed_;
  piece work_ = nullptr;
  void const* body_ = nullptr;
  int given_ = 0;
  int working_ = 0;
  std::atomic<int> missing_{0};
  std::vector<std::thread> threads_;
};

}  // namespace bench
