// SPDX-License-Identifier: Apache-2.0
// Elements and allocators that count, and fail when they are told to.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <utility>

namespace test {

// Counts live objects; the n-th construction after fail_in(n) throws. Zeroed memory may be destroyed and counts as
// dead.
struct tracked {
  static inline std::atomic<int> live{0};
  static inline std::atomic<int> countdown{-1};
  static void fail_in(int constructions) { countdown = constructions; }
  static void fail_never() { countdown = -1; }

  tracked() : tracked(0) {}
  tracked(int v) : value(v) { born(); }  // NOLINT: implicit
  tracked(tracked const& other) : value(other.value) { born(); }
  tracked(tracked&& other) : value(other.value) { born(); }
  tracked& operator=(tracked const&) = default;
  ~tracked() {
    if (alive == sign_of_life) --live;
    alive = 0;
  }
  friend bool operator==(tracked const& a, tracked const& b) { return a.value == b.value; }
  friend bool operator<(tracked const& a, tracked const& b) { return a.value < b.value; }

  static constexpr int sign_of_life = 0x600d;
  int value;
  int alive = 0;

 private:
  void born() {
    if (countdown >= 0 && countdown-- == 0) throw std::runtime_error("tracked");
    alive = sign_of_life;
    ++live;
  }
};

// What the allocators of one test share.
struct memory_record {
  std::atomic<long> bytes{0};
  std::atomic<int> blocks{0};
  std::atomic<int> countdown{-1};
};

// Stateful, never equal across records; fails at the n-th allocation.
template <typename T, bool Propagate = false>
struct counting_allocator {
  using value_type = T;
  using propagate_on_container_copy_assignment = std::bool_constant<Propagate>;
  using propagate_on_container_move_assignment = std::bool_constant<Propagate>;
  using propagate_on_container_swap = std::bool_constant<Propagate>;
  template <typename U>
  struct rebind {
    using other = counting_allocator<U, Propagate>;
  };

  explicit counting_allocator(memory_record& r) noexcept : record(&r) {}
  template <typename U>
  counting_allocator(counting_allocator<U, Propagate> const& other) noexcept : record(other.record) {}  // NOLINT

  T* allocate(std::size_t n) {
    if (record->countdown >= 0 && record->countdown-- == 0) throw std::bad_alloc();
    T* const p = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
    record->bytes += static_cast<long>(n * sizeof(T));
    ++record->blocks;
    return p;
  }
  void deallocate(T* p, std::size_t n) noexcept {
    record->bytes -= static_cast<long>(n * sizeof(T));
    --record->blocks;
    ::operator delete(p, n * sizeof(T), std::align_val_t(alignof(T)));
  }
  template <typename U>
  bool operator==(counting_allocator<U, Propagate> const& other) const noexcept {
    return record == other.record;
  }

  memory_record* record;
};

}  // namespace test
