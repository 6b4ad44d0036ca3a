// SPDX-License-Identifier: Apache-2.0
// Which of the names that there are was probably meant, for messages about a name that is not known. Allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ashlar {
inline namespace v1 {

inline constexpr std::size_t longest_name = 40;

// How many letters have to be inserted, left out or changed to make one of the other; neither is longer than
// longest_name.
inline std::size_t letters_apart(std::string_view a, std::string_view b) noexcept {
  std::size_t row[longest_name + 1];
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// The name in [first, last) that differs least from `name`, or that holds it or is held by it; empty if all differ by
// more than two letters. Beginnings that all have in common are not to be passed.
template <typename Iterator>
std::string_view nearest_name(std::string_view name, Iterator first, Iterator last) noexcept {
  constexpr std::size_t near = 2, least_part = 4;
  std::string_view found;
  std::size_t least = near + 1;
  if (name.size() > longest_name) return found;
  for (Iterator i = first; i != last; ++i) {
    std::string_view const other(*i);
    if (other.size() > longest_name) continue;
    std::size_t apart = letters_apart(name, other);
    if (apart >= name.size()) apart = near + 1;  // nothing is left of it
    bool const part = (name.size() >= least_part && other.find(name) != other.npos) ||
                      (other.size() >= least_part && name.find(other) != name.npos);
    if (part && apart > near) apart = near;
    if (apart >= least) continue;
    least = apart;
    found = other;
  }
  return found;
}

}  // namespace v1
}  // namespace ashlar
