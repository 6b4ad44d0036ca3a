// SPDX-License-Identifier: Apache-2.0
// What the concurrent queues have in common: the segmented queue with a user's allocator, copies, assignment,
// iterators. The queues derive from it; nobody else uses it. Thread safety is that of sync/segmented_queue.h.
#pragma once

#include <ashlar/base/assert.h>
#include <ashlar/containers/emptied_source.h>
#include <ashlar/containers/segment_memory.h>
#include <ashlar/sync/segmented_queue.h>

#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// Walks over a queue, oldest element first. The default-constructed one is the end.
template <typename Value, typename Cursor>
class queue_iterator {
 public:
  using value_type = Value;
  using pointer = Value*;
  using reference = Value&;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::forward_iterator_tag;

  queue_iterator() noexcept = default;
  explicit queue_iterator(Cursor const& c) noexcept : cursor_(c) {}
  /// From the iterator that may change elements.
  template <typename Other, typename = std::enable_if_t<std::is_same_v<Other const, Value> && !std::is_const_v<Other>>>
  queue_iterator(queue_iterator<Other, Cursor> const& other) noexcept : cursor_(other.cursor()) {}  // NOLINT: implicit

  reference operator*() const noexcept { return *cursor_.get(); }
  pointer operator->() const noexcept { return cursor_.get(); }
  queue_iterator& operator++() noexcept {
    ASHLAR_ASSERT(cursor_.get(), "the end of a queue is passed");
    cursor_.advance();
    return *this;
  }
  queue_iterator operator++(int) noexcept {
    queue_iterator const before = *this;
    ++*this;
    return before;
  }
  Cursor const& cursor() const noexcept { return cursor_; }

 private:
  Cursor cursor_;
};

template <typename A, typename B, typename Cursor>
bool operator==(queue_iterator<A, Cursor> const& a, queue_iterator<B, Cursor> const& b) noexcept {
  return a.cursor() == b.cursor();
}
template <typename A, typename B, typename Cursor>
bool operator!=(queue_iterator<A, Cursor> const& a, queue_iterator<B, Cursor> const& b) noexcept {
  return !(a == b);
}

template <typename T, typename Allocator>
class element_queue {
 protected:
  using memory = segment_memory<T, Allocator>;
  using core = sync::segmented_queue<T, memory>;
  using traits = std::allocator_traits<Allocator>;

 public:
  using value_type = T;
  using reference = T&;
  using const_reference = T const&;
  using difference_type = std::ptrdiff_t;
  using allocator_type = Allocator;
  using pointer = typename traits::pointer;
  using const_pointer = typename traits::const_pointer;
  using iterator = queue_iterator<T, typename core::cursor>;
  using const_iterator = queue_iterator<T const, typename core::cursor>;

  allocator_type get_allocator() const { return allocator_type(core_.memory().allocator()); }

  /// Destroys all elements. Not thread-safe.
  void clear() noexcept { core_.clear(); }

  /// Not thread-safe; slow. Valid until the queue is changed.
  iterator unsafe_begin() noexcept { return iterator(core_.unsafe_begin()); }
  iterator unsafe_end() noexcept { return iterator(); }
  const_iterator unsafe_begin() const noexcept { return const_iterator(core_.unsafe_begin()); }
  const_iterator unsafe_end() const noexcept { return const_iterator(); }
  const_iterator unsafe_cbegin() const noexcept { return const_iterator(core_.unsafe_begin()); }
  const_iterator unsafe_cend() const noexcept { return const_iterator(); }

  // The same elements in the same order. Not thread-safe.
  friend bool operator==(element_queue const& a, element_queue const& b) {
    const_iterator i = a.unsafe_begin();
    const_iterator k = b.unsafe_begin();
    for (; i != a.unsafe_end() && k != b.unsafe_end(); ++i, ++k) {
      if (!(*i == *k)) return false;
    }
    return i == a.unsafe_end() && k == b.unsafe_end();
  }
  friend bool operator!=(element_queue const& a, element_queue const& b) { return !(a == b); }

 protected:
  explicit element_queue(Allocator const& a) noexcept : core_(memory(a)) {}
  ~element_queue() = default;

  // Makes an element of these arguments at the place that push_with() names.
  template <typename... Args>
  auto maker(Args&&... args) {
    return [this, &args...](void* place) {
      core_.memory().construct(static_cast<T*>(place), std::forward<Args>(args)...);
    };
  }
  template <typename Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) core_.push_with(maker(*first));
  }
  void append_copies(element_queue const& other) { append(other.unsafe_begin(), other.unsafe_end()); }
  // Takes the other queue's elements; moves them one by one if the allocators differ.
  void take(element_queue& other) {
    if (get_allocator() == other.get_allocator()) {
      core_.swap(other.core_);
      return;
    }
    emptied_source const emptied(other);
    for (auto i = other.core_.unsafe_begin(); T* const element = i.get(); i.advance()) {
      core_.push_with(maker(std::move(*element)));
    }
  }
  static constexpr bool takes_without_exceptions =
      traits::propagate_on_container_move_assignment::value || traits::is_always_equal::value;

  core core_;
};

/// The allocator of the copy that replaces `mine` when `other` is assigned to it.
template <typename Queue>
auto allocator_for_copy(Queue const& mine, Queue const& other) {
  using traits = std::allocator_traits<typename Queue::allocator_type>;
  return traits::propagate_on_container_copy_assignment::value ? other.get_allocator() : mine.get_allocator();
}
template <typename Queue>
auto allocator_for_move(Queue const& mine, Queue const& other) {
  using traits = std::allocator_traits<typename Queue::allocator_type>;
  return traits::propagate_on_container_move_assignment::value ? other.get_allocator() : mine.get_allocator();
}

/// Whatever can be read, moved on and compared, with or without the member types of iterators.
template <typename Iterator>
using if_iterator = std::void_t<decltype(*std::declval<Iterator&>()), decltype(++std::declval<Iterator&>()),
                                decltype(std::declval<Iterator&>() == std::declval<Iterator&>())>;

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
