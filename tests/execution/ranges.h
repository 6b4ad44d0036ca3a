// SPDX-License-Identifier: Apache-2.0
// The ranges over which each parallel algorithm is checked: sizes from empty to many chunks, iterators of three kinds.
#pragma once

#include <cstddef>
#include <execution>
#include <forward_list>
#include <iterator>
#include <list>
#include <numeric>
#include <vector>

namespace ranges {

// A random-access iterator that is a class of the user's.
template <typename T>
class cursor {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  cursor() = default;
  explicit cursor(T* at) : at_(at) {}
  reference operator*() const { return *at_; }
  pointer operator->() const { return at_; }
  reference operator[](difference_type n) const { return at_[n]; }
  cursor& operator++() { return ++at_, *this; }
  cursor operator++(int) { return cursor(at_++); }
  cursor& operator--() { return --at_, *this; }
  cursor operator--(int) { return cursor(at_--); }
  cursor& operator+=(difference_type n) { return at_ += n, *this; }
  cursor& operator-=(difference_type n) { return at_ -= n, *this; }
  friend cursor operator+(cursor a, difference_type n) { return cursor(a.at_ + n); }
  friend cursor operator+(difference_type n, cursor a) { return cursor(a.at_ + n); }
  friend cursor operator-(cursor a, difference_type n) { return cursor(a.at_ - n); }
  friend difference_type operator-(cursor a, cursor b) { return a.at_ - b.at_; }
  friend bool operator==(cursor a, cursor b) { return a.at_ == b.at_; }
  friend bool operator!=(cursor a, cursor b) { return a.at_ != b.at_; }
  friend bool operator<(cursor a, cursor b) { return a.at_ < b.at_; }
  friend bool operator>(cursor a, cursor b) { return a.at_ > b.at_; }
  friend bool operator<=(cursor a, cursor b) { return a.at_ <= b.at_; }
  friend bool operator>=(cursor a, cursor b) { return a.at_ >= b.at_; }

 private:
  T* at_ = nullptr;
};

// An array that is traversed by cursors.
class array {
 public:
  explicit array(std::size_t n) : values_(n) {}
  template <typename Iterator>
  array(Iterator first, Iterator last) : values_(first, last) {}
  cursor<int> begin() { return cursor<int>(values_.data()); }
  cursor<int> end() { return cursor<int>(values_.data() + values_.size()); }

 private:
  std::vector<int> values_;
};

inline constexpr int sizes[] = {0, 1, 2, 777, 20000};

// Repeating values below `below`, the same for each call.
inline std::vector<int> numbers(int n, int below = 1000) {
  std::vector<int> v(static_cast<std::size_t>(n));
  unsigned x = 12345;
  for (int& e : v) e = static_cast<int>((x = x * 1664525u + 1013904223u) >> 8) % below;
  return v;
}

template <typename Range>
std::vector<int> contents(Range& r) {
  return std::vector<int>(r.begin(), r.end());
}

// check(policy, a function that makes a range of the given values). Each kind with one policy: how iterators are
// treated doesn't depend on it, and compiling is what these tests cost.
template <typename Check>
void on_random_access(Check check) {
  check(std::execution::par, [](std::vector<int> const& v) { return v; });
  check(std::execution::par_unseq, [](std::vector<int> const& v) { return array(v.begin(), v.end()); });
}
template <typename Check>
void on_bidirectional(Check check) {
  on_random_access(check);
  check(std::execution::par, [](std::vector<int> const& v) { return std::list<int>(v.begin(), v.end()); });
}
template <typename Check>
void on_forward(Check check) {
  on_random_access(check);
  check(std::execution::par, [](std::vector<int> const& v) { return std::forward_list<int>(v.begin(), v.end()); });
}

}  // namespace ranges
