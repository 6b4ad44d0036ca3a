// SPDX-License-Identifier: Apache-2.0
// Counts the words of a text in a concurrent_hash_map, block by block, then gathers them in a concurrent_vector and
// sorts them by frequency.
#include "common/tbb_program.h"
#include "common/words.h"

#include <tbb/blocked_range.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_vector.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

struct hash_compare {
  static std::size_t hash(std::string const& s) {
    std::size_t h = 14695981039346656037u;
    for (char const c : s) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return h ^ h >> 29;
  }
  static bool equal(std::string const& a, std::string const& b) { return a == b; }
};

class word_count {
 public:
  explicit word_count(double scale) : expected_(vocabulary) {
    std::vector<std::string> words;
    for (std::size_t k = 0; k < vocabulary; ++k) words.push_back(programs::word_of(k));
    programs::random_stream random(29);
    std::size_t const size = programs::scaled(scale, 20000000, 20000);
    text_.reserve(size + 20);
    while (text_.size() < size) {
      std::size_t const k = programs::zipf(random, vocabulary);
      ++expected_[k];
      text_ += words[k];
      text_ += random.below(12) != 0 ? ' ' : '\n';
    }
  }

  void work() {
    table counts;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, text_.size(), block),
                      [&](tbb::blocked_range<std::size_t> const& r) {
                        std::string word;
                        for (std::size_t at = word_start(r.begin()), last = word_start(r.end()); at < last; ++at) {
                          std::size_t end = at;
                          while (text_[end] != ' ' && text_[end] != '\n') ++end;
                          word.assign(text_, at, end - at);
                          table::accessor found;
                          counts.insert(found, word);
                          ++found->second;
                          at = end;
                        }
                      });
    tbb::parallel_for(counts.range(), [this](table::range_type const& r) {
      for (auto const& entry : r) sorted_.push_back({entry.second, entry.first});
    });
    tbb::parallel_sort(sorted_.begin(), sorted_.end(), [](entry const& a, entry const& b) {
      return a.first > b.first || (a.first == b.first && a.second < b.second);
    });
  }

  char const* wrong() const {
    std::size_t different = 0;
    for (std::uint32_t const n : expected_) different += n != 0;
    if (sorted_.size() != different) return "number of different words";
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      if (i != 0 && sorted_[i].first > sorted_[i - 1].first) return "order";
      if (sorted_[i].first != expected_[programs::number_of(sorted_[i].second)]) return "count of a word";
    }
    return nullptr;
  }

 private:
  using table = tbb::concurrent_hash_map<std::string, std::uint32_t, hash_compare>;
  using entry = std::pair<std::uint32_t, std::string>;
  static constexpr std::size_t vocabulary = 60000, block = 16384;

  // Of the first word that begins at or after this place.
  std::size_t word_start(std::size_t at) const {
    while (at != 0 && at < text_.size() && text_[at - 1] != ' ' && text_[at - 1] != '\n') ++at;
    return at;
  }

  std::string text_;
  std::vector<std::uint32_t> expected_;
  tbb::concurrent_vector<entry> sorted_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<word_count>(argc, argv); }
