// SPDX-License-Identifier: Apache-2.0
// The random-access iterator of a container whose elements have an index: Elements has at(index).
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Elements, typename Value>
class indexed_iterator {
  template <typename, typename>
  friend class indexed_iterator;

 public:
  using difference_type = std::ptrdiff_t;
  using value_type = Value;
  using pointer = Value*;
  using reference = Value&;
  using iterator_category = std::random_access_iterator_tag;

  indexed_iterator() noexcept = default;
  indexed_iterator(Elements const& elements, std::size_t index) noexcept : elements_(&elements), index_(index) {}
  /// To const and, as TBB allows, from const.
  template <typename Other,
            typename = std::enable_if_t<std::is_same_v<std::remove_const_t<Other>, std::remove_const_t<Value>> &&
                                        !std::is_same_v<Other, Value>>>
  indexed_iterator(indexed_iterator<Elements, Other> const& other) noexcept  // NOLINT: implicit
      : elements_(other.elements_), index_(other.index_) {}

  reference operator*() const { return elements_->at(index_); }
  pointer operator->() const { return std::addressof(**this); }
  reference operator[](difference_type n) const { return elements_->at(index_ + static_cast<std::size_t>(n)); }

  indexed_iterator& operator++() { return *this += 1; }
  indexed_iterator& operator--() { return *this -= 1; }
  indexed_iterator operator++(int) {
    indexed_iterator const old = *this;
    ++*this;
    return old;
  }
  indexed_iterator operator--(int) {
    indexed_iterator const old = *this;
    --*this;
    return old;
  }
  indexed_iterator& operator+=(difference_type n) {
    index_ += static_cast<std::size_t>(n);
    return *this;
  }
  indexed_iterator& operator-=(difference_type n) { return *this += -n; }
  friend indexed_iterator operator+(indexed_iterator it, difference_type n) { return it += n; }
  friend indexed_iterator operator+(difference_type n, indexed_iterator it) { return it += n; }
  friend indexed_iterator operator-(indexed_iterator it, difference_type n) { return it -= n; }

  template <typename Other>
  difference_type operator-(indexed_iterator<Elements, Other> const& other) const {
    return static_cast<difference_type>(index_) - static_cast<difference_type>(other.index_);
  }
  template <typename Other>
  bool operator==(indexed_iterator<Elements, Other> const& other) const {
    return index_ == other.index_ && elements_ == other.elements_;
  }
#if !__TBB_CPP20_COMPARISONS_PRESENT
  template <typename Other>
  bool operator!=(indexed_iterator<Elements, Other> const& other) const {
    return !(*this == other);
  }
#endif
  template <typename Other>
  bool operator<(indexed_iterator<Elements, Other> const& other) const {
    return index_ < other.index_;
  }
  template <typename Other>
  bool operator>(indexed_iterator<Elements, Other> const& other) const {
    return other < *this;
  }
  template <typename Other>
  bool operator<=(indexed_iterator<Elements, Other> const& other) const {
    return !(other < *this);
  }
  template <typename Other>
  bool operator>=(indexed_iterator<Elements, Other> const& other) const {
    return !(*this < other);
  }

 private:
  Elements const* elements_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
