// SPDX-License-Identifier: Apache-2.0
// flattened2d: the elements of a container of containers as one sequence; tbb/enumerable_thread_specific.h documents
// it.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// A forward iterator: where the outer iterator stands, and the place in its container; skips empty containers.
template <typename OuterIterator, typename InnerIterator>
class flattened_iterator {
  template <typename, typename>
  friend class flattened_iterator;
  using inner_traits = std::iterator_traits<InnerIterator>;

 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = typename inner_traits::value_type;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  using reference = typename inner_traits::reference;
  using pointer = typename inner_traits::pointer;

  flattened_iterator() = default;
  flattened_iterator(OuterIterator outer, OuterIterator outer_end) : outer_(outer), outer_end_(outer_end) { enter(); }
  /// To const and, where the two iterators allow it as TBB's do, from const.
  template <typename Outer, typename Inner,
            typename = std::enable_if_t<std::is_constructible_v<OuterIterator, Outer> &&
                                        !std::is_same_v<flattened_iterator, flattened_iterator<Outer, Inner>>>>
  flattened_iterator(flattened_iterator<Outer, Inner> const& other)  // NOLINT: implicit
      : outer_(other.outer_), outer_end_(other.outer_end_) {
    if constexpr (std::is_convertible_v<Inner, InnerIterator>) {
      inner_ = other.inner_;
    } else if (outer_ != outer_end_) {
      inner_ = std::next(outer_->begin(), std::distance(Inner(outer_->begin()), other.inner_));
    }
  }

  reference operator*() const { return *inner_; }
  pointer operator->() const { return std::addressof(*inner_); }
  flattened_iterator& operator++() {
    if (++inner_ == outer_->end()) {
      ++outer_;
      enter();
    }
    return *this;
  }
  flattened_iterator operator++(int) {
    flattened_iterator const old = *this;
    ++*this;
    return old;
  }
  template <typename Outer, typename Inner>
  bool operator==(flattened_iterator<Outer, Inner> const& other) const {
    return outer_ == other.outer_ && (outer_ == outer_end_ || inner_ == other.inner_);
  }
#if !__TBB_CPP20_COMPARISONS_PRESENT
  template <typename Outer, typename Inner>
  bool operator!=(flattened_iterator<Outer, Inner> const& other) const {
    return !(*this == other);
  }
#endif

 private:
  void enter() {
    for (; outer_ != outer_end_; ++outer_) {
      inner_ = outer_->begin();
      if (inner_ != outer_->end()) return;
    }
  }

  OuterIterator outer_{};
  OuterIterator outer_end_{};
  InnerIterator inner_{};
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar

namespace tbb {
ASHLAR_HOME(6)

template <typename Container>
class flattened2d {
  using inner = typename Container::value_type;
  using inner_iterator = typename inner::iterator;
  using inner_const_iterator = typename inner::const_iterator;

 public:
  using size_type = typename inner::size_type;
  using difference_type = typename inner::difference_type;
  using value_type = typename inner::value_type;
  using reference = typename inner::reference;
  using const_reference = typename inner::const_reference;
  using pointer = typename inner::pointer;
  using const_pointer = typename inner::const_pointer;
  using allocator_type = typename inner::allocator_type;
  using iterator = ::ashlar::containers::flattened_iterator<typename Container::iterator, inner_iterator>;
  using const_iterator =
      ::ashlar::containers::flattened_iterator<typename Container::const_iterator, inner_const_iterator>;

  explicit flattened2d(Container const& c)
      : container_(const_cast<Container*>(&c)), begin_(container_->begin()), end_(container_->end()) {}
  flattened2d(Container const& c, typename Container::const_iterator first, typename Container::const_iterator last)
      : container_(const_cast<Container*>(&c)),
        begin_(std::next(container_->begin(), std::distance(c.begin(), first))),
        end_(std::next(container_->begin(), std::distance(c.begin(), last))) {}

  iterator begin() { return iterator(begin_, end_); }
  const_iterator begin() const { return const_iterator(begin_, end_); }
  const_iterator cbegin() const { return begin(); }
  iterator end() { return iterator(end_, end_); }
  const_iterator end() const { return const_iterator(end_, end_); }
  const_iterator cend() const { return end(); }
  // Walks over the outer container.
  size_type size() const {
    size_type sum = 0;
    for (auto i = begin_; i != end_; ++i) sum += i->size();
    return sum;
  }

 private:
  Container* container_;
  typename Container::iterator begin_;
  typename Container::iterator end_;
};

/// A view of a container of containers, as an enumerable_thread_specific of vectors is, as one sequence.
template <typename Container>
flattened2d<Container> flatten2d(Container const& c) {
  return flattened2d<Container>(c);
}
template <typename Container>
flattened2d<Container> flatten2d(Container const& c, typename Container::const_iterator first,
                                 typename Container::const_iterator last) {
  return flattened2d<Container>(c, first, last);
}

ASHLAR_HOME_END
ASHLAR_KNOWN_IN(6, flattened2d)
ASHLAR_KNOWN_IN(6, flatten2d)

}  // namespace tbb
