// SPDX-License-Identifier: Apache-2.0
// A range of one's own: parallel_for splits anything that has is_divisible(), empty(), a copy constructor and a
// splitting constructor. Here a triangle (the pairs i < j of n points) splits into parts of even work.
#include <atomic>
#include <cmath>
#include <cstdio>

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

// The rows [first, last) of the triangle; row i holds i pairs.
class triangle {
 public:
  triangle(long first, long last) : first_(first), last_(last) {}
  triangle(triangle& whole, tbb::split) : last_(whole.last_) {
    // Half of the area, not half of the rows.
    double const middle = std::sqrt(0.5 * (double(whole.first_) * whole.first_ + double(whole.last_) * whole.last_));
    first_ = static_cast<long>(middle);
    if (first_ <= whole.first_ || first_ >= last_) {
      first_ = (whole.first_ + last_) / 2;
    }
    whole.last_ = first_;
  }
  bool empty() const { return first_ >= last_; }
  bool is_divisible() const { return last_ - first_ > 1 && pairs() > 5000; }
  long pairs() const { return (last_ * (last_ - 1) - first_ * (first_ - 1)) / 2; }
  long begin() const { return first_; }
  long end() const { return last_; }

 private:
  long first_, last_;
};

int main() {
  long const points = 3000;
  std::atomic<long> close{0}, seen{0};
  tbb::parallel_for(triangle(0, points), [&](triangle const& part) {
    long here = 0;
    for (long i = part.begin(); i != part.end(); ++i) {
      for (long j = 0; j < i; ++j) {
        here += (i * 37 + j * 61) % 100 == 0;
      }
    }
    close += here;
    seen += part.pairs();
  });
  std::printf("%ld pairs, %ld of them close\n", seen.load(), close.load());
  return seen == points * (points - 1) / 2 && close > 0 ? 0 : 1;
}
