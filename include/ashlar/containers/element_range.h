// SPDX-License-Identifier: Apache-2.0
// The range() of a container whose iterators are random-access ones: a blocked_range of them, which is what
// parallel_for takes and splits, with the types that a container's range has.
#pragma once

#include <ashlar/base/blocked_range.h>

#include <iterator>
#include <type_traits>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Iterator>
class element_range : public ::tbb::blocked_range<Iterator> {
  using blocked = ::tbb::blocked_range<Iterator>;

 public:
  using iterator = Iterator;
  using value_type = typename std::iterator_traits<Iterator>::value_type;
  using reference = typename std::iterator_traits<Iterator>::reference;
  using const_reference = value_type const&;
  using difference_type = typename std::iterator_traits<Iterator>::difference_type;

  using blocked::blocked;
  /// The range of a const container's elements from one of mutable ones.
  template <typename Other, typename = std::enable_if_t<std::is_convertible_v<Other, Iterator>>>
  element_range(element_range<Other> const& other)  // NOLINT: implicit
      : blocked(other.begin(), other.end(), other.grainsize()) {}
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
