// SPDX-License-Identifier: Apache-2.0
// How far a run is, and what memory it has: the operations or the time of one case, and the process's resident memory
// at each fiftieth of it. Any thread may count.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

namespace growth {

/// Of this process, in KiB.
long resident_kib();

struct sample {
  double part;  // of the run
  long operations;
  double seconds;
  long kib;
};

class meter {
 public:
  /// Ends after so many operations, or, if seconds are given, when they are over.
  meter(long operations, double seconds);
  meter(meter const&) = delete;
  meter& operator=(meter const&) = delete;

  /// Counts n operations; says whether there are to be more.
  bool count(long n) {
    long const before = done_.fetch_add(n, std::memory_order_relaxed);
    if ((before + n) / grain_ != before / grain_) look(before + n);
    return !over();
  }
  bool over() const { return over_.load(std::memory_order_relaxed); }
  /// So many operations a thread may count together.
  long grain() const { return grain_; }
  std::vector<sample> const& samples() const { return samples_; }

 private:
  void look(long done);

  long const operations_;
  double const seconds_;
  long const grain_;
  std::chrono::steady_clock::time_point const began_;
  std::atomic<long> done_{0};
  std::atomic<bool> over_{false};
  std::mutex lock_;
  std::vector<sample> samples_;
};

/// One thread's operations, which it tells the meter several at once.
class pace {
 public:
  explicit pace(meter& m) : meter_(m), grain_(m.grain()) {}
  /// Before an operation; false: no more.
  bool step() {
    if (++untold_ < grain_) return !meter_.over();
    untold_ = 0;
    return meter_.count(grain_);
  }

 private:
  meter& meter_;
  long const grain_;
  long untold_ = 0;
};

}  // namespace growth
