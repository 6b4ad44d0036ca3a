// SPDX-License-Identifier: Apache-2.0
// Elements and allocators that fail on demand, for the tests of the queues.
#pragma once

#include <ashlar/sync/segmented_queue.h>

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace queue_parts {

// Counts living objects; construction number `countdown` (from 0) throws.
struct element {
  static inline int live = 0;
  static inline int countdown = -1;

  element(int v = 0) : value(v) { born(); }  // NOLINT: implicit
  element(element const& other) : value(other.value) { born(); }
  element(element&& other) noexcept : value(std::exchange(other.value, -1)) { ++live; }
  element& operator=(element const&) = default;
  element& operator=(element&& other) noexcept {
    value = std::exchange(other.value, -1);
    return *this;
  }
  ~element() { --live; }
  friend bool operator<(element const& a, element const& b) { return a.value < b.value; }
  friend bool operator==(element const& a, element const& b) { return a.value == b.value; }

  static void born() {
    if (countdown >= 0 && countdown-- == 0) throw std::runtime_error("element");
    ++live;
  }
  int value;
};

struct account {
  long bytes = 0;
  int calls = 0;
  int countdown = -1;  // the call with this number fails
};

// Books on an account; two allocators are equal if their accounts are. Propagates or not.
template <typename T, bool Propagates = false>
struct booking_allocator {
  using value_type = T;
  using propagate_on_container_copy_assignment = std::bool_constant<Propagates>;
  using propagate_on_container_move_assignment = std::bool_constant<Propagates>;
  using propagate_on_container_swap = std::bool_constant<Propagates>;
  template <typename U>
  struct rebind {
    using other = booking_allocator<U, Propagates>;
  };

  explicit booking_allocator(account& a) : book(&a) {}
  template <typename U>
  booking_allocator(booking_allocator<U, Propagates> const& other) : book(other.book) {}  // NOLINT: implicit

  T* allocate(std::size_t n) {
    ++book->calls;
    if (book->countdown >= 0 && book->countdown-- == 0) throw std::bad_alloc();
    book->bytes += static_cast<long>(n * sizeof(T));
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) {
    book->bytes -= static_cast<long>(n * sizeof(T));
    std::allocator<T>().deallocate(p, n);
  }
  template <typename U>
  friend bool operator==(booking_allocator const& a, booking_allocator<U, Propagates> const& b) {
    return a.book == b.book;
  }
  template <typename U>
  friend bool operator!=(booking_allocator const& a, booking_allocator<U, Propagates> const& b) {
    return a.book != b.book;
  }

  account* book;
};

// Runs attempt() with the countdown at 0, 1, 2 … until it gets through without a failure; returns how often it failed.
template <typename Attempt>
int fail_everywhere(int& countdown, Attempt const& attempt) {
  for (int n = 0;; ++n) {
    countdown = n;
    bool failed = false;
    try {
      attempt();
    } catch (std::bad_alloc const&) {
      failed = true;
    } catch (std::runtime_error const&) {
      failed = true;
    }
    bool const reached = countdown < 0;
    countdown = -1;
    if (!reached && !failed) return n;
  }
}

}  // namespace queue_parts

// Segments end often.
template <>
inline constexpr std::size_t ashlar::sync::segment_lap<queue_parts::element> = 8;
