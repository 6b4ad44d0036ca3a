// SPDX-License-Identifier: Apache-2.0
// Two threads without any library: the caller, and one that spins until there is work. What they need for a piece of
// work is what no scheduler can undercut: a floor.
#pragma once

#include <atomic>
#include <thread>

namespace bench {

class spinning_pair {
 public:
  spinning_pair() : other_([this] { serve(); }) {}
  ~spinning_pair() {
    work_ = nullptr;
    given_.store(given_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    other_.join();
  }
  spinning_pair(spinning_pair const&) = delete;
  spinning_pair& operator=(spinning_pair const&) = delete;

  // body(0) here and body(1) there; returns when both are over.
  template <typename Body>
  void run(Body const& body) {
    work_ = [](void const* b, int i) { (*static_cast<Body const*>(b))(i); };
    body_ = &body;
    long const n = given_.load(std::memory_order_relaxed) + 1;
    given_.store(n, std::memory_order_release);
    body(0);
    await(done_, n);
  }

  // Spins until another thread has stored that value.
  static void await(std::atomic<long> const& word, long value) {
    while (word.load(std::memory_order_acquire) != value) {
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
  }

 private:
  void serve() {
    for (long n = 1;; ++n) {
      await(given_, n);
      if (work_ == nullptr) return;
      work_(body_, 1);
      done_.store(n, std::memory_order_release);
    }
  }

  void (*work_)(void const*, int) = nullptr;
  void const* body_ = nullptr;
  alignas(128) std::atomic<long> given_{0};
  alignas(128) std::atomic<long> done_{0};
  std::thread other_;
};

}  // namespace bench
