// SPDX-License-Identifier: Apache-2.0
// Sample sort (Frazer and McKellar 1970): splitters from a sample, each block counts its keys per bucket, a scan over
// all counts gives every block its place in every bucket, the keys are scattered and each bucket is sorted.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace {

using key = std::uint64_t;

class sample_sort {
 public:
  explicit sample_sort(double scale) : keys_(programs::scaled(scale, 6000000, 5000)), sorted_(keys_.size()) {
    programs::random_stream random(11);
    for (key& k : keys_) {
      // Skewed: half of the keys lie in a sixteenth of the range.
      key const bits = random.bits();
      k = (bits & 1) != 0 ? bits >> 4 : bits;
      sum_ += k;
      xor_ ^= k;
    }
  }

  void work() {
    choose_splitters();
    std::size_t const blocks = (keys_.size() + block - 1) / block;
    // Bucket by bucket, in each block by block: the order in which the keys will stand.
    std::vector<std::uint32_t> counts(blocks * buckets), places(blocks * buckets);
    std::vector<std::uint8_t> bucket_of(keys_.size());
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) {
      for (std::size_t i = b * block; i < end_of(b); ++i) {
        bucket_of[i] = static_cast<std::uint8_t>(std::upper_bound(splitters_.begin(), splitters_.end(), keys_[i]) -
                                                 splitters_.begin());
        ++counts[bucket_of[i] * blocks + b];
      }
    });
    using range = tbb::blocked_range<std::size_t>;
    tbb::parallel_scan(
        range(0, counts.size()), std::uint32_t{0},
        [&](range const& r, std::uint32_t before, bool is_final) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) {
            if (is_final) places[i] = before;
            before += counts[i];
          }
          return before;
        },
        std::plus<>());
    std::vector<std::uint32_t> const first = firsts_of(places, blocks);
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) {
      for (std::size_t i = b * block; i < end_of(b); ++i) sorted_[places[bucket_of[i] * blocks + b]++] = keys_[i];
    });
    tbb::parallel_for(std::size_t{0}, buckets, [&](std::size_t k) {
      tbb::parallel_sort(sorted_.begin() + first[k], sorted_.begin() + first[k + 1]);
    });
  }

  char const* wrong() const {
    key sum = 0, x = 0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      if (i != 0 && sorted_[i] < sorted_[i - 1]) return "order";
      sum += sorted_[i];
      x ^= sorted_[i];
    }
    return sum == sum_ && x == xor_ ? nullptr : "keys are lost";
  }

 private:
  static constexpr std::size_t buckets = 64, block = 32768, sample_per_bucket = 32;

  std::size_t end_of(std::size_t b) const { return std::min(keys_.size(), (b + 1) * block); }

  void choose_splitters() {
    programs::random_stream random(12);
    std::vector<key> sample(buckets * sample_per_bucket);
    for (key& k : sample) k = keys_[random.below(keys_.size())];
    tbb::parallel_sort(sample.begin(), sample.end());
    splitters_.clear();
    for (std::size_t i = sample_per_bucket; i < sample.size(); i += sample_per_bucket) splitters_.push_back(sample[i]);
  }

  std::vector<std::uint32_t> firsts_of(std::vector<std::uint32_t> const& places, std::size_t blocks) const {
    std::vector<std::uint32_t> first;
    for (std::size_t k = 0; k < buckets; ++k) first.push_back(places[k * blocks]);
    first.push_back(static_cast<std::uint32_t>(keys_.size()));
    return first;
  }

  std::vector<key> keys_, sorted_, splitters_;
  key sum_ = 0, xor_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<sample_sort>(argc, argv); }
