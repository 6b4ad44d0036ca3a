// SPDX-License-Identifier: Apache-2.0
// Elements that come and go at one end and never move when there are more of them: a vector over the segments of
// concurrent_vector. Growing neither copies nor holds two blocks, and an exception leaves what was there. For one
// thread at a time.
//
// Elements count from 3, so that those from 4 k to 4 k + 3 lie next to one another, in one line if four fill no more.
#pragma once

#include <ashlar/containers/emptied_source.h>
#include <ashlar/containers/segment_table.h>

#include <memory>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename T, typename Allocator>
class element_stack {
  using own_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;
  using traits = std::allocator_traits<own_allocator>;
  static constexpr std::size_t first_block_bytes = 512;
  static constexpr std::size_t first_block = sizeof(T) < first_block_bytes / 8 ? first_block_bytes / sizeof(T) : 8;

 public:
  static constexpr std::size_t first = 3;

  explicit element_stack(Allocator const& a) noexcept : table_(own_allocator(a)) {}
  element_stack(element_stack const& other, Allocator const& a) : element_stack(a) { append_all(other); }
  element_stack(element_stack&& other) : element_stack(other.get_allocator()) { swap_elements(other); }
  element_stack(element_stack&& other, Allocator const& a) : element_stack(a) { take(other); }
  element_stack& operator=(element_stack const& other) {
    clear();
    if constexpr (traits::propagate_on_container_copy_assignment::value) {
      table_.release_all();
      table_.allocator() = other.table_.allocator();
    }
    append_all(other);
    return *this;
  }
  element_stack& operator=(element_stack&& other) {
    clear();
    if constexpr (traits::propagate_on_container_move_assignment::value) {
      table_.release_all();
      table_.allocator() = std::move(other.table_.allocator());
      swap_elements(other);
    } else {
      take(other);
    }
    return *this;
  }
  ~element_stack() { clear(); }
  friend void swap(element_stack& a, element_stack& b) noexcept {
    if constexpr (traits::propagate_on_container_swap::value) {
      using std::swap;
      swap(a.table_.allocator(), b.table_.allocator());
    }
    a.swap_elements(b);
  }
  template <typename Iterator>
  void assign(Iterator from, Iterator to) {
    clear();
    for (; from != to; ++from) push_back(*from);
  }

  template <typename... Args>
  void push_back(Args&&... args) {
    if (ASHLAR_UNLIKELY(!table_.is_ready(segment_of(end_)))) grow(end_);
    traits::construct(table_.allocator(), table_.address(end_), std::forward<Args>(args)...);
    ++end_;
  }
  void pop_back() noexcept {
    --end_;
    traits::destroy(table_.allocator(), table_.address(end_));
  }
  /// The memory stays.
  void clear() noexcept {
    while (end_ != first) pop_back();
  }
  void reserve(std::size_t n) {
    if (n > max_size()) throw_exception(exception_id::reservation_length_error);
    if (n != 0) grow(first + n - 1);
  }

  std::size_t end() const noexcept { return end_; }
  std::size_t size() const noexcept { return end_ - first; }
  bool empty() const noexcept { return end_ == first; }
  /// The address of element i is places()[i], until an element is added.
  ASHLAR_ALWAYS_INLINE auto places() const noexcept { return table_.present(); }
  T& operator[](std::size_t i) noexcept { return *table_.address(i); }
  T const& operator[](std::size_t i) const noexcept { return *table_.address(i); }
  T& front() noexcept { return (*this)[first]; }
  T& back() noexcept { return (*this)[end_ - 1]; }
  Allocator get_allocator() const { return Allocator(table_.allocator()); }

 private:
  std::size_t max_size() const noexcept {
    std::size_t const most = (~std::size_t{0} >> 17) / sizeof(T);  // the address space
    std::size_t const allocators = traits::max_size(table_.allocator());
    return most < allocators ? most : allocators;
  }
  // Makes memory for the elements up to i.
  ASHLAR_COLD void grow(std::size_t i) {
    table_.choose_first_block(i < first_block ? first_block : i + 1);
    ASHLAR_TRY {
      for (unsigned k = 0; k <= segment_of(i); ++k) table_.ensure(k);
    }
    ASHLAR_CATCH_ALL {
      table_.repair();
      ASHLAR_RETHROW;
    }
  }
  void append_all(element_stack const& other) {
    for (std::size_t i = first; i != other.end_; ++i) push_back(other[i]);
  }
  // The memory can be taken only if the allocators are equal.
  void take(element_stack& other) {
    if (table_.allocator() == other.table_.allocator()) {
      swap_elements(other);
    } else {
      emptied_source const emptied(other);
      for (std::size_t i = first; i != other.end_; ++i) push_back(std::move(other[i]));
    }
  }
  void swap_elements(element_stack& other) noexcept {
    table_.swap(other.table_);
    std::swap(end_, other.end_);
  }

  std::size_t end_ = first;
  segment_table<T, own_allocator> table_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
