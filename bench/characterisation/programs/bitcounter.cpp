// SPDX-License-Identifier: Apache-2.0
// Counts the bits of records whose lengths differ by a factor of 4000 and grow along the array: a parallel_for with an
// unbalanced working set and explicit chunks.
#include "common/library.h"
#include "common/random.h"
#include "common/study.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace study {
namespace {

struct parameters {
  std::size_t records, chunk;
};
constexpr parameters sizes[] = {{2048, 8}, {32768, 16}, {131072, 16}, {524288, 16}, {8388608, 16}};
constexpr std::size_t pool_words = 16384;

class bits {
 public:
  explicit bits(parameters const& p) : chunk(p.chunk), words_(pool_words), counts(p.records) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] = random_bits(1, i);
    }
  }
  __attribute__((noinline)) void count(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      counts[i] = count_record(first_word(i), length(i));
    }
  }
  std::size_t length(std::size_t i) const {
    auto const halvings =
        static_cast<unsigned>(__builtin_ctzll(random_bits(2, i) | 1024));  // k with probability 2^-(k+1)
    return (std::size_t{1} << halvings) * (1 + 4 * i / counts.size());
  }
  std::size_t first_word(std::size_t i) const { return random_bits(3, i) % pool_words; }
  std::uint64_t word(std::size_t i) const { return words_[i % pool_words]; }

  std::size_t const chunk;

 private:
  // A step per set bit (Wegner 1960).
  std::uint32_t count_record(std::size_t first, std::size_t n) const {
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::uint64_t w = word(first + i); w != 0; w &= w - 1) {
        ++total;
      }
    }
    return total;
  }

  std::vector<std::uint64_t> words_;

 public:
  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> expected;
};

}  // namespace

problem bitcounter(size_class s) {
  auto const b = std::make_shared<bits>(of(sizes, s));
  problem p;
  p.serial = [b] {
    b->count(0, b->counts.size());
    b->expected = b->counts;
  };
  p.tasks = [b] {
    b->counts.assign(b->counts.size(), 0);
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, b->counts.size(), b->chunk),
        [&](tbb::blocked_range<std::size_t> const& r) { b->count(r.begin(), r.end()); }, tbb::simple_partitioner());
  };
  p.right = [b] { return b->counts == b->expected; };
  p.plausible = [b] {
    for (std::size_t i = 0; i < b->expected.size(); i += 97) {
      std::uint32_t total = 0;
      for (std::size_t k = 0; k < b->length(i); ++k) {
        total += static_cast<std::uint32_t>(__builtin_popcountll(b->word(b->first_word(i) + k)));
      }
      if (total != b->expected[i]) {
        return false;
      }
    }
    return true;
  };
  return p;
}

}  // namespace study
