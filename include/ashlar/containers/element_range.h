// SPDX-License-Identifier: Apache-2.0
// The range() of a container whose iterators are random-access ones: what parallel_for takes and splits. It has
// blocked_range's interface and splits as that does, into halves or in proportion.
#pragma once

#include <ashlar/base/split.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Iterator>
class element_range {
 public:
  using iterator = Iterator;
  using const_iterator = Iterator;
  using value_type = typename std::iterator_traits<Iterator>::value_type;
  using reference = typename std::iterator_traits<Iterator>::reference;
  using const_reference = value_type const&;
  using difference_type = typename std::iterator_traits<Iterator>::difference_type;
  using size_type = std::size_t;

  static constexpr bool is_splittable_in_proportion = true;

  element_range(Iterator begin, Iterator end, size_type grainsize = 1)
      : end_(end), begin_(begin), grainsize_(grainsize) {}
  // The range of a const container's elements from one of mutable ones.
  template <typename Other, typename = std::enable_if_t<std::is_convertible_v<Other, Iterator>>>
  element_range(element_range<Other> const& other)  // NOLINT: implicit
      : end_(other.end()), begin_(other.begin()), grainsize_(other.grainsize()) {}
  element_range(element_range& r, ::tbb::split)
      : end_(r.end_), begin_(r.begin_ + static_cast<difference_type>(r.size() / 2)), grainsize_(r.grainsize_) {
    r.end_ = begin_;
  }
  element_range(element_range& r, ::tbb::proportional_split& p)
      : end_(r.end_),
        begin_(r.end_ - static_cast<difference_type>(right_part(r.size(), p.left(), p.right()))),
        grainsize_(r.grainsize_) {
    r.end_ = begin_;
  }

  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  size_type size() const { return static_cast<size_type>(end_ - begin_); }
  size_type grainsize() const { return grainsize_; }
  bool empty() const { return !(begin_ < end_); }
  bool is_divisible() const { return grainsize_ < size(); }

 private:
  static size_type right_part(size_type size, size_type left, size_type right) {
    return static_cast<size_type>(
        static_cast<double>(size) * static_cast<double>(right) / static_cast<double>(left + right) + 0.5);
  }

  Iterator end_;
  Iterator begin_;
  size_type grainsize_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
