// SPDX-License-Identifier: Apache-2.0
// Iterators and ranges over the nodes of a hash table, in the order of their memory. An iterator is one pointer and
// stays valid until its element is erased; insertions and growth do not disturb it.
#pragma once

#include <ashlar/base/split.h>
#include <ashlar/containers/node_store.h>

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// Walk says what a position is: front(node*), next(position), value(position). Value may be const.
template <typename Value, typename Walk>
class table_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  using pointer = Value*;
  using reference = Value&;
  using position = typename Walk::position;

  table_iterator() noexcept = default;
  explicit table_iterator(position p) noexcept : at_(p) {}
  template <typename Other,
            typename = std::enable_if_t<std::is_same_v<Other const, Value> && !std::is_same_v<Other, Value>>>
  table_iterator(table_iterator<Other, Walk> other) noexcept : at_(other.get()) {}  // NOLINT: implicit

  reference operator*() const noexcept { return Walk::value(at_); }
  pointer operator->() const noexcept { return std::addressof(Walk::value(at_)); }
  table_iterator& operator++() noexcept {
    at_ = Walk::next(at_);
    return *this;
  }
  table_iterator operator++(int) noexcept {
    table_iterator const old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(table_iterator a, table_iterator b) noexcept { return a.at_ == b.at_; }
  friend bool operator!=(table_iterator a, table_iterator b) noexcept { return a.at_ != b.at_; }

  /// For the containers.
  position get() const noexcept { return at_; }

 private:
  position at_ = nullptr;
};

/// Of a range's iterator type that converts to the const one.
template <typename Other, typename Iterator>
using enable_if_mutable =
    std::enable_if_t<std::is_convertible_v<Other, Iterator> && !std::is_convertible_v<Iterator, Other>>;

/// A splittable range of elements. The grain size counts nodes, in use or not.
template <typename Iterator, typename Walk>
class table_range {
 public:
  using iterator = Iterator;
  using value_type = typename Iterator::value_type;
  using reference = typename Iterator::reference;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;

  table_range(typename Walk::span const& all, size_type grainsize) noexcept
      : span_(all), grainsize_(grainsize ? grainsize : 1) {
    find_bounds();
  }
  /// The whole of a container, as its range() gives it.
  template <typename Container, typename = std::enable_if_t<std::is_same_v<
                                    typename Walk::span const&, decltype(std::declval<Container&>().range().nodes())>>>
  table_range(Container const& all, size_type grainsize = 1) noexcept  // NOLINT: implicit
      : table_range(all.range().nodes(), grainsize) {}
  table_range(table_range& r, ::tbb::split) noexcept : span_(r.span_.split()), grainsize_(r.grainsize_) {
    find_bounds();
    r.end_ = begin_;
  }
  template <typename Other, typename = enable_if_mutable<Other, Iterator>>
  table_range(table_range<Other, Walk> const& r) noexcept  // NOLINT: implicit
      : span_(r.nodes()), grainsize_(r.grainsize()), begin_(r.begin()), end_(r.end()) {}

  bool empty() const noexcept { return begin_ == end_; }
  bool is_divisible() const noexcept { return span_.is_divisible() && span_.nodes() > grainsize_; }
  iterator begin() const noexcept { return begin_; }
  iterator end() const noexcept { return end_; }
  size_type grainsize() const noexcept { return grainsize_; }
  /// For the conversion from a range of mutable elements.
  typename Walk::span const& nodes() const noexcept { return span_; }

 private:
  void find_bounds() noexcept {
    begin_ = Iterator(Walk::front(span_.begin()));
    end_ = Iterator(Walk::front(span_.end()));
  }

  typename Walk::span span_;
  size_type grainsize_;
  Iterator begin_;
  Iterator end_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
