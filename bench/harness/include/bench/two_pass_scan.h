// SPDX-License-Identifier: Apache-2.0
// The best that two bare threads can do for a prefix sum without being told any of it. In each group of three chunks
// the first thread scans the first chunk while the other one sums up the second, then they scan the third and, while it
// is in cache, the second. More can't be scanned only once: of two threads, the one that is further right needs the sum
// of what the other one has not written yet.
#pragma once

#include <bench/spinning_pair.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace bench {

template <typename Sum>
class two_pass_scan {
 public:
  // Lengths of the three chunks: best if summing up the second takes as long as scanning the first.
  two_pass_scan(long n, long first, long second, long third)
      : n_(n),
        first_(first),
        second_(second),
        group_(first + second + third),
        sums_(static_cast<std::size_t>(n / group_) + 1) {}

  // scan(begin, end, sum) writes the results and returns the sum at the end; add(begin, end) gives a sum.
  template <typename Scan, typename Add>
  void run(spinning_pair& pair, Sum initial, Scan const& scan, Add const& add) {
    ++round_;
    pair.run([&](int thread) {
      if (thread == 0) {
        scan_first_and_third(initial, scan);
      } else {
        scan_second(scan, add);
      }
    });
  }

 private:
  struct hand_over {
    alignas(128) std::atomic<long> second_known{0};  // the round in which the sum in front of the second chunk came
    Sum before_second{};
    alignas(128) std::atomic<long> third_known{0};
    Sum before_third{};
  };

  template <typename Scan>
  void scan_first_and_third(Sum sum, Scan const& scan) {
    long at = 0;
    for (hand_over& h : sums_) {
      h.before_second = scan(at, to(at + first_), sum);
      h.second_known.store(round_, std::memory_order_release);
      spinning_pair::await(h.third_known, round_);
      sum = scan(to(at + first_ + second_), to(at + group_), h.before_third);
      at = to(at + group_);
    }
  }
  template <typename Scan, typename Add>
  void scan_second(Scan const& scan, Add const& add) {
    long at = 0;
    for (hand_over& h : sums_) {
      long const begin = to(at + first_);
      long const end = to(at + first_ + second_);
      Sum const second = add(begin, end);
      spinning_pair::await(h.second_known, round_);
      h.before_third = h.before_second + second;
      h.third_known.store(round_, std::memory_order_release);
      scan(begin, end, h.before_second);
      at = to(at + group_);
    }
  }
  long to(long i) const { return std::min(i, n_); }

  long const n_;
  long const first_;
  long const second_;
  long const group_;
  long round_ = 0;
  std::vector<hand_over> sums_;
};

}  // namespace bench
