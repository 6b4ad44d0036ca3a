// SPDX-License-Identifier: Apache-2.0
// Latencies of one run: every single one is kept, because a tail can't be told from averages. Percentiles are those of
// this process; the runner compares them round by round.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <bench/report.h>

namespace bench {

class latencies {
 public:
  // With `count` places that different threads may fill at the same time.
  explicit latencies(long count) : values_(static_cast<std::size_t>(count), -1.0) {}

  void set(long index, double value) { values_[static_cast<std::size_t>(index)] = value; }

  // The least value that at least this share of all values does not exceed; after sort().
  double percentile(double share) const {
    double const rank = std::ceil(share * static_cast<double>(values_.size()));
    return values_[rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1];
  }

  // The named values that a suite's rows refer to. Checks that every place was filled.
  void into(report& r) {
    std::sort(values_.begin(), values_.end());
    r.check(!values_.empty() && values_.front() >= 0, "every latency was measured");
    r.value("n", static_cast<double>(values_.size()));
    r.value("p50", percentile(0.5));
    r.value("p90", percentile(0.9));
    r.value("p99", percentile(0.99));
    r.value("p999", percentile(0.999));
    r.value("max", values_.back());
  }

 private:
  std::vector<double> values_;
};

}  // namespace bench
