// SPDX-License-Identifier: Apache-2.0
// A plugin that uses the library inside: a parallel loop, and an exception out of one. Compiles with our headers,
// with oneTBB's and with classic TBB's.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <stdexcept>

// Returns 0 + 1 + ... + (n - 1), or -1 when an exception was lost.
extern "C" long plugin_sum(long n) {
  std::atomic<long> sum(0);
  tbb::parallel_for(tbb::blocked_range<long>(0, n), [&](tbb::blocked_range<long> const& range) {
    long part = 0;
    for (long i = range.begin(); i != range.end(); ++i) {
      part += i;
    }
    sum += part;
  });
  bool caught = false;
  try {
    tbb::parallel_for(tbb::blocked_range<long>(0, n), [](tbb::blocked_range<long> const& range) {
      if (range.begin() == 0) {
        throw std::domain_error("from the loop");
      }
    });
  } catch (std::domain_error const&) {
    caught = true;
  }
  return caught ? sum.load() : -1;
}
