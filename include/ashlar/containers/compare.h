// SPDX-License-Identifier: Apache-2.0
// Comparisons of sequences, element by element, without the cost of <algorithm>.
#pragma once

#include <ashlar/base/config.h>

#if __TBB_CPP20_COMPARISONS_PRESENT
#include <compare>
#endif

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename First, typename Second>
bool equal_elements(First const& a, Second const& b) {
  if (a.size() != b.size()) return false;
  auto j = b.begin();
  for (auto i = a.begin(); i != a.end(); ++i, ++j) {
    if (!(*i == *j)) return false;
  }
  return true;
}

template <typename First, typename Second>
bool less_elements(First const& a, Second const& b) {
  auto i = a.begin();
  auto j = b.begin();
  for (; i != a.end() && j != b.end(); ++i, ++j) {
    if (*i < *j) return true;
    if (*j < *i) return false;
  }
  return i == a.end() && j != b.end();
}

#if __TBB_CPP20_COMPARISONS_PRESENT
/// As the standard's synth-three-way ([expos.only.entity]): <=> where the type has it, else the order that < makes.
template <typename T>
constexpr auto three_way(T const& a, T const& b) {
  if constexpr (std::three_way_comparable<T>) {
    return a <=> b;
  } else {
    return a < b ? std::weak_ordering::less : b < a ? std::weak_ordering::greater : std::weak_ordering::equivalent;
  }
}

template <typename Sequence>
auto three_way_elements(Sequence const& a, Sequence const& b)
    -> decltype(containers::three_way(*a.begin(), *b.begin())) {
  auto i = a.begin();
  auto j = b.begin();
  for (; i != a.end() && j != b.end(); ++i, ++j) {
    if (auto const order = containers::three_way(*i, *j); order != 0) return order;
  }
  if (i != a.end()) return std::strong_ordering::greater;
  return j != b.end() ? std::strong_ordering::less : std::strong_ordering::equal;
}
#endif

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
