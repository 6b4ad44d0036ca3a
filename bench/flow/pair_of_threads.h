// SPDX-License-Identifier: Apache-2.0
// One or two bare threads that do each round together, for programs that measure what a row takes without a graph. Each
// stays on a processor of its own: where the kernel had put both on one, a number took a time slice of 4 ms.
#pragma once

#include <bench/sampler.h>
#include <bench/threads.h>

#include <atomic>
#include <thread>

namespace bench {

class pair_of_threads {
 public:
  explicit pair_of_threads(options const& o) : threads_(o.threads) {
    if (threads_ > 2) usage("one or two threads", o.row);
  }
  int count() const { return threads_; }
  // part(self) is one thread's part of a round.
  template <typename Part>
  void run(long rounds, Part part) {
    std::atomic<long> finished{0};
    auto const work = [&](int self) {
      for (long r = 1; r <= rounds; ++r) {
        part(self);
        finished.fetch_add(1);
        while (finished.load() < r * threads_) {
        }
      }
    };
    pin_thread(0, cpu_of(1));  // for the other one, which so need not wait until this one leaves its processor
    std::thread other([&] {
      if (threads_ == 2) work(1);
    });
    pin_thread(0, cpu_of(0));
    work(0);
    other.join();
  }

 private:
  int const threads_;
};

}  // namespace bench
