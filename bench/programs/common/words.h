// SPDX-License-Identifier: Apache-2.0
// Text of made-up words whose frequencies follow Zipf's law: the k-th word is about 1/k as frequent as the first.
#pragma once

#include "random.h"

#include <cmath>
#include <string>
#include <vector>

namespace programs {

inline constexpr char const* syllables[] = {"ba", "ce", "di", "fo", "gu", "ha", "je", "ki",
                                            "lo", "mu", "na", "pe", "ri", "so", "tu", "va"};

// Different numbers give different words of 2 to 14 letters.
inline std::string word_of(std::size_t number) {
  std::string word;
  for (++number; number != 0; number /= 16) word += syllables[number % 16];
  return word;
}

// The number of a word that word_of made.
inline std::size_t number_of(std::string const& word) {
  std::size_t number = 0;
  for (std::size_t i = word.size(); i != 0; i -= 2) {
    for (std::size_t k = 0; k < 16; ++k) {
      if (word[i - 2] == syllables[k][0] && word[i - 1] == syllables[k][1]) number = 16 * number + k;
    }
  }
  return number - 1;
}

// A number in [0, n) with probability about 1 / (number + 1).
inline std::size_t zipf(random_stream& random, std::size_t n) {
  auto const drawn = static_cast<std::size_t>(std::pow(static_cast<double>(n), random.unit())) - 1;
  return drawn < n ? drawn : n - 1;
}

}  // namespace programs
