// SPDX-License-Identifier: Apache-2.0
// The random-access iterator of an array in segments. It holds the element's address as long as it stays inside a
// segment, so a loop costs little more than one over plain memory. Growth of the container leaves it valid; an iterator
// past the last ready segment finds its element when that has come into being.
#pragma once

#include <ashlar/containers/segment_index.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// Table has address_or_null(index) and address(index).
template <typename Table, typename Value>
class segmented_iterator {
  template <typename, typename>
  friend class segmented_iterator;
  using mutable_value = std::remove_const_t<Value>;

 public:
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  using value_type = Value;
  using pointer = Value*;
  using reference = Value&;
  using iterator_category = std::random_access_iterator_tag;

  segmented_iterator() noexcept = default;
  segmented_iterator(Table const& table, std::size_t index) noexcept
      : table_(&table), item_(table.address_or_null(index)), index_(index) {}
  segmented_iterator(Table const& table, std::size_t index, mutable_value* item) noexcept
      : table_(&table), item_(item), index_(index) {}
  template <typename Other, typename = std::enable_if_t<std::is_same_v<Other, mutable_value> && std::is_const_v<Value>>>
  segmented_iterator(segmented_iterator<Table, Other> const& other) noexcept  // NOLINT: implicit
      : table_(other.table_), item_(other.item_), index_(other.index_) {}

  reference operator*() const { return ASHLAR_LIKELY(item_ != nullptr) ? *item_ : *table_->address(index_); }
  pointer operator->() const { return std::addressof(**this); }
  reference operator[](difference_type n) const { return *table_->address(index_ + static_cast<std::size_t>(n)); }

  segmented_iterator& operator++() {
    ++index_;
    if (ASHLAR_LIKELY((index_ & (index_ - 1)) != 0 && item_ != nullptr)) {
      ++item_;
    } else {
      item_ = table_->address_or_null(index_);
    }
    return *this;
  }
  segmented_iterator& operator--() {
    bool const first = (index_ & (index_ - 1)) == 0;
    --index_;
    if (ASHLAR_LIKELY(!first && item_ != nullptr)) {
      --item_;
    } else {
      item_ = table_->address_or_null(index_);
    }
    return *this;
  }
  segmented_iterator operator++(int) {
    segmented_iterator const old = *this;
    ++*this;
    return old;
  }
  segmented_iterator operator--(int) {
    segmented_iterator const old = *this;
    --*this;
    return old;
  }
  segmented_iterator& operator+=(difference_type n) {
    if (n != 0) *this = segmented_iterator(*table_, index_ + static_cast<std::size_t>(n));
    return *this;
  }
  segmented_iterator& operator-=(difference_type n) { return *this += -n; }
  friend segmented_iterator operator+(segmented_iterator it, difference_type n) { return it += n; }
  friend segmented_iterator operator+(difference_type n, segmented_iterator it) { return it += n; }
  friend segmented_iterator operator-(segmented_iterator it, difference_type n) { return it -= n; }

  template <typename Other>
  difference_type operator-(segmented_iterator<Table, Other> const& other) const {
    return static_cast<difference_type>(index_) - static_cast<difference_type>(other.index_);
  }
  template <typename Other>
  bool operator==(segmented_iterator<Table, Other> const& other) const {
    return index_ == other.index_ && table_ == other.table_;
  }
#if !__TBB_CPP20_COMPARISONS_PRESENT
  template <typename Other>
  bool operator!=(segmented_iterator<Table, Other> const& other) const {
    return !(*this == other);
  }
#endif
  template <typename Other>
  bool operator<(segmented_iterator<Table, Other> const& other) const {
    return index_ < other.index_;
  }
  template <typename Other>
  bool operator>(segmented_iterator<Table, Other> const& other) const {
    return other < *this;
  }
  template <typename Other>
  bool operator<=(segmented_iterator<Table, Other> const& other) const {
    return !(other < *this);
  }
  template <typename Other>
  bool operator>=(segmented_iterator<Table, Other> const& other) const {
    return !(*this < other);
  }

 private:
  Table const* table_ = nullptr;
  mutable_value* item_ = nullptr;
  std::size_t index_ = 0;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
