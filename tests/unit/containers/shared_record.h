// SPDX-License-Identifier: Apache-2.0
// For containers that make their own allocators.
#pragma once

#include "tracked.h"

namespace test {

// Default constructible, as the container needs it; all share one record.
template <typename T>
struct shared_record_allocator : test::counting_allocator<T> {
  static inline test::memory_record all;
  template <typename U>
  struct rebind {
    using other = shared_record_allocator<U>;
  };
  shared_record_allocator() : test::counting_allocator<T>(shared_record_allocator<int>::all) {}
  template <typename U>
  shared_record_allocator(shared_record_allocator<U> const&) : shared_record_allocator() {}  // NOLINT: implicit
};

}  // namespace test
