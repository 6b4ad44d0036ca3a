// SPDX-License-Identifier: Apache-2.0
// Static parallelism with pthreads: threads are made for the run, each takes a share of the work that its number alone
// decides, and phases end with a barrier.
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

#include <pthread.h>

#include <bench/threads.h>

namespace study {

inline bool pin_teams = false;  // the threads of a team are new in every run, so each pins itself

struct share {
  std::size_t begin, end;
};

inline share share_of(std::size_t items, int threads, int which) {
  auto const n = static_cast<std::size_t>(threads), k = static_cast<std::size_t>(which);
  return {items * k / n, items * (k + 1) / n};
}

class barrier {
 public:
  explicit barrier(int threads) { pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(threads)); }
  ~barrier() { pthread_barrier_destroy(&barrier_); }
  barrier(barrier const&) = delete;
  barrier& operator=(barrier const&) = delete;
  // True in one of the threads.
  bool wait() { return pthread_barrier_wait(&barrier_) == PTHREAD_BARRIER_SERIAL_THREAD; }

 private:
  pthread_barrier_t barrier_;
};

// Calls work(k) for k in [0, threads), each on a thread of its own; the caller is number 0.
template <typename Work>
void on_threads(int threads, Work const& work) {
  std::vector<std::thread> others;
  for (int k = 1; k < threads; ++k) {
    others.emplace_back([&work, k] {
      if (pin_teams) {
        bench::pin_thread(0, bench::cpu_of(k));
      }
      work(k);
    });
  }
  work(0);
  for (std::thread& t : others) {
    t.join();
  }
}

}  // namespace study
