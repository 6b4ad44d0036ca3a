// SPDX-License-Identifier: Apache-2.0
// The heap of a concurrent_priority_queue whose Compare is a stable_order: its elements have the number of their
// coming.
#pragma once

#include <ashlar/containers/heap.h>
#include <ashlar/containers/stable_order.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// An element with its number. An allocator that hands itself on to what it constructs reaches the element.
template <typename T>
struct numbered {
  numbered(T&& v, std::uint64_t n) : value(std::move(v)), number(n) {}
  template <typename A>
  numbered(std::allocator_arg_t, A const& a, numbered const& other)
      : numbered(std::uses_allocator<T, A>(), leads<A>(), a, other.value, other.number) {}
  template <typename A>
  numbered(std::allocator_arg_t, A const& a, numbered&& other)
      : numbered(std::uses_allocator<T, A>(), leads<A>(), a, std::move(other.value), other.number) {}

  friend bool operator==(numbered const& a, numbered const& b) { return a.value == b.value; }
  friend T& value_of(numbered& e) noexcept { return e.value; }

  T value;
  std::uint64_t number;

 private:
  template <typename A>
  using leads = std::is_constructible<T, std::allocator_arg_t, A const&, T&&>;
  template <typename A, typename V>
  numbered(std::true_type, std::true_type, A const& a, V&& v, std::uint64_t n)
      : value(std::allocator_arg, a, std::forward<V>(v)), number(n) {}
  template <typename A, typename V>
  numbered(std::true_type, std::false_type, A const& a, V&& v, std::uint64_t n)
      : value(std::forward<V>(v), a), number(n) {}
  template <typename Leads, typename A, typename V>
  numbered(std::false_type, Leads, A const& /*unused*/, V&& v, std::uint64_t n)
      : value(std::forward<V>(v)), number(n) {}
};

template <typename Compare>
struct numbered_less {
  template <typename T>
  bool operator()(numbered<T> const& a, numbered<T> const& b) {
    return leaves_after(compare, a.value, a.number, b.value, b.number);
  }
  Compare compare;
};

template <typename T, typename Compare, typename Allocator>
class heap<T, tbb::stable_order<Compare>, Allocator> {
  using order = tbb::stable_order<Compare>;
  using elements = heap<numbered<T>, numbered_less<Compare>, Allocator>;

 public:
  heap(order const& c, Allocator const& a) : elements_(numbered_less<Compare>{c.compare}, a) {}
  heap(heap const& other, Allocator const& a) : elements_(other.elements_, a), next_(other.next_) {}
  heap(heap const&) = delete;
  heap(heap&&) = default;
  heap(heap&& other, Allocator const& a) : elements_(std::move(other.elements_), a), next_(other.next_) {}
  heap& operator=(heap const&) = default;
  heap& operator=(heap&&) = default;
  ~heap() = default;

  template <typename Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    ASHLAR_TRY {
      for (; first != last; ++first) push(T(*first));
    }
    ASHLAR_CATCH_ALL {
      clear();
      ASHLAR_RETHROW;
    }
  }
  friend void swap(heap& a, heap& b) {
    swap(a.elements_, b.elements_);
    std::swap(a.next_, b.next_);
  }

  std::size_t size() const noexcept { return elements_.size(); }
  void reserve(std::size_t n) { elements_.reserve(n); }
  void clear() noexcept { elements_.clear(); }
  Allocator get_allocator() const { return elements_.get_allocator(); }

  /// Unchanged if the memory or the comparison throws.
  void push(T&& value) {
    numbered<T> element(std::move(value), next_);
    ASHLAR_TRY { elements_.push(std::move(element)); }
    ASHLAR_CATCH_ALL {
      value = std::move(element.value);
      ASHLAR_RETHROW;
    }
    ++next_;
  }
  bool pop(T& result) { return elements_.pop(result); }
  friend bool equal(heap const& a, heap const& b) { return equal(a.elements_, b.elements_); }

 private:
  elements elements_;
  std::uint64_t next_ = 0;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar

namespace std {

template <typename T, typename A>
struct uses_allocator<::ashlar::containers::numbered<T>, A> : uses_allocator<T, A> {};

}  // namespace std
