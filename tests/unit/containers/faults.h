// SPDX-License-Identifier: Apache-2.0
// Allocators and elements that count and fail at the n-th call, for the tests of maps and sets.
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>

namespace test {

// Shared by the copies and rebindings of one allocator.
struct account {
  long blocks = 0;  // allocated and not freed
  long calls = 0;
  long fail_at = -1;  // the call that throws, counted from 0
};

template <typename T>
struct counting_allocator {
  using value_type = T;
  account* of;

  explicit counting_allocator(account& a) noexcept : of(&a) {}
  template <typename U>
  counting_allocator(counting_allocator<U> const& other) noexcept : of(other.of) {}  // NOLINT: implicit
  T* allocate(std::size_t n) {
    if (of->calls++ == of->fail_at) throw std::bad_alloc();
    ++of->blocks;
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
  }
  void deallocate(T* p, std::size_t n) noexcept {
    --of->blocks;
    ::operator delete(p, n * sizeof(T), std::align_val_t(alignof(T)));
  }
  template <typename U>
  friend bool operator==(counting_allocator a, counting_allocator<U> const& b) noexcept {
    return a.of == b.of;
  }
  template <typename U>
  friend bool operator!=(counting_allocator a, counting_allocator<U> const& b) noexcept {
    return a.of != b.of;
  }
};

// An int whose n-th construction throws, and that knows how many live.
struct fragile {
  static inline long alive = 0;
  static inline long constructions = 0;
  static inline long fail_at = -1;

  int value;
  fragile() : fragile(0) {}
  fragile(int v) : value(v) {  // NOLINT: implicit
    if (constructions++ == fail_at) throw std::runtime_error("fragile");
    ++alive;
  }
  fragile(fragile const& other) : fragile(other.value) {}
  fragile& operator=(fragile const&) = default;
  ~fragile() { --alive; }
  friend bool operator==(fragile const& a, fragile const& b) { return a.value == b.value; }
  friend bool operator<(fragile const& a, fragile const& b) { return a.value < b.value; }
};

// Runs body(n) with a failure at call n for n = 0, 1, ... until a run meets none; returns how many failed.
template <typename Body>
long fail_everywhere(long& fail_at, long& calls, Body body) {
  for (long n = 0;; ++n) {
    fail_at = n;
    calls = 0;
    bool const failed = body();
    fail_at = -1;
    if (!failed) return n;
  }
}

}  // namespace test
