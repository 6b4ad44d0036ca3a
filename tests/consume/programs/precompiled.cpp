// SPDX-License-Identifier: Apache-2.0
// Includes nothing: TBB::precompiled brings <tbb/tbb.h>.
int main() {
  int const sum = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 100), 0, [](auto const& part, int so_far) { return so_far + int(part.size()); },
      std::plus<int>());
  return sum == 100 ? 0 : 1;
}
