// SPDX-License-Identifier: Apache-2.0
// The four partitioners, and a loop that runs again over the same data.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <vector>

int main() {
  std::vector<float> values(1 << 20, 1.0F);
  auto const add = [&](tbb::blocked_range<std::size_t> const& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) values[i] += 1.0F;
  };
  tbb::blocked_range<std::size_t> const all(0, values.size());

  tbb::parallel_for(all, add);                             // auto_partitioner: the default, and right nearly always
  tbb::parallel_for(all, add, tbb::static_partitioner());  // equal parts, one for each thread, never divided further

  tbb::affinity_partitioner again;  // has to live longer than the loops
  for (int step = 0; step < 3; ++step) tbb::parallel_for(all, add, again);

  tbb::blocked_range<std::size_t> const pieces(0, values.size(), 10000);
  tbb::parallel_for(pieces, add, tbb::simple_partitioner());  // pieces of 5001 to 10000 elements
  return values[12345] == 7.0F ? 0 : 1;
}
