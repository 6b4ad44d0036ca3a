// SPDX-License-Identifier: Apache-2.0
// Suffix array by prefix doubling (Manber and Myers 1993): suffixes are sorted by their first 8 characters, then by
// pairs of ranks of half the length, until all ranks differ. New ranks are a scan over where neighbours differ.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

class suffix_array {
 public:
  explicit suffix_array(double scale) : suffixes_(programs::scaled(scale, 1500000, 3000)), ranks_(suffixes_.size()) {
    // Words from a small vocabulary, and now and then a long repetition of what stood before.
    programs::random_stream random(13);
    std::size_t const size = suffixes_.size();
    while (text_.size() < size) {
      if (text_.size() > 2000 && random.below(500) == 0) {
        text_ += text_.substr(random.below(text_.size() - 1500), 1000);
      } else {
        programs::random_stream word(100 + random.below(1 + random.below(5000)));
        for (std::size_t letters = 2 + word.below(8); letters != 0; --letters) {
          text_ += static_cast<char>('a' + word.below(20));
        }
        text_ += ' ';
      }
    }
    text_.resize(size);
  }

  void work() {
    tbb::parallel_for(range(0, suffixes_.size()), [this](range const& r) {
      for (std::size_t i = r.begin(); i != r.end(); ++i) {
        suffixes_[i] = {first_characters(i), static_cast<std::uint32_t>(i)};
      }
    });
    std::size_t const size = suffixes_.size();
    for (std::size_t length = 8;; length *= 2) {
      tbb::parallel_sort(suffixes_.begin(), suffixes_.end(),
                         [](entry const& a, entry const& b) { return a.sort_key < b.sort_key; });
      if (rank() == size || length >= size) return;
      tbb::parallel_for(range(0, size), [&](range const& r) {
        for (std::size_t k = r.begin(); k != r.end(); ++k) {
          std::size_t const i = suffixes_[k].at;
          std::uint64_t const second = i + length < size ? ranks_[i + length] : 0;
          suffixes_[k].sort_key = std::uint64_t{ranks_[i]} << 32 | second;
        }
      });
    }
  }

  char const* wrong() const {
    std::size_t const size = suffixes_.size();
    std::vector<std::uint32_t> place(size + 1, 0);  // from 1; the empty suffix comes first
    for (std::size_t k = 0; k < size; ++k) {
      if (suffixes_[k].at >= size || place[suffixes_[k].at] != 0) return "not a permutation";
      place[suffixes_[k].at] = static_cast<std::uint32_t>(k + 1);
    }
    for (std::size_t k = 1; k < size; ++k) {
      std::size_t const a = suffixes_[k - 1].at, b = suffixes_[k].at;
      if (text_[a] > text_[b] || (text_[a] == text_[b] && place[a + 1] > place[b + 1])) return "order of the suffixes";
    }
    return nullptr;
  }

 private:
  using range = tbb::blocked_range<std::size_t>;
  struct entry {
    std::uint64_t sort_key;
    std::uint32_t at;
  };

  std::uint64_t first_characters(std::size_t i) const {
    std::uint64_t made = 0;
    for (std::size_t k = i; k < i + 8; ++k) {
      made = made << 8 | (k < text_.size() ? static_cast<unsigned char>(text_[k]) : 0U);
    }
    return made;
  }

  // Ranks from 1 by the sorted keys; returns how many differ.
  std::size_t rank() {
    return tbb::parallel_scan(
        range(0, suffixes_.size()), std::uint32_t{0},
        [this](range const& r, std::uint32_t before, bool is_final) {
          for (std::size_t k = r.begin(); k != r.end(); ++k) {
            before += k == 0 || suffixes_[k].sort_key != suffixes_[k - 1].sort_key;
            if (is_final) ranks_[suffixes_[k].at] = before;
          }
          return before;
        },
        std::plus<>());
  }

  std::string text_;
  std::vector<entry> suffixes_;
  std::vector<std::uint32_t> ranks_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<suffix_array>(argc, argv); }
