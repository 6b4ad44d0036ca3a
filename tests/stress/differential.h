// SPDX-License-Identifier: Apache-2.0
// What the tests share that compare containers with the standard library's over random operations: how many operations
// and which, functions that throw now and then, and allocators that count and may be unequal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

inline long operations() {
  char const* const given = std::getenv("ASHLAR_TEST_OPERATIONS");
  return given != nullptr ? std::atol(given) : 20000;
}

struct dice {
  std::uint64_t state;
  unsigned operator()(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<unsigned>((state * 0x2545F4914F6CDD1D) >> 33) % n;
  }
};

// Calls of the user's functions until one throws; never when it is negative.
inline thread_local long fuse = -1;
inline void may_throw() {
  if (fuse >= 0 && fuse-- == 0) throw std::runtime_error("the user's function");
}

// Blocks that are allocated.
inline std::atomic<long> blocks{0};

// Equal to those with its number.
template <typename T>
struct memory {
  using value_type = T;
  int number = 0;
  memory() = default;
  explicit memory(int n) : number(n) {}
  template <typename U>
  memory(memory<U> const& other) : number(other.number) {}  // NOLINT: implicit
  T* allocate(std::size_t n) {
    blocks.fetch_add(1, std::memory_order_relaxed);
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
  }
  void deallocate(T* p, std::size_t) {
    blocks.fetch_sub(1, std::memory_order_relaxed);
    ::operator delete(p, std::align_val_t(alignof(T)));
  }
  friend bool operator==(memory const& a, memory const& b) { return a.number == b.number; }
  friend bool operator!=(memory const& a, memory const& b) { return a.number != b.number; }
};

template <typename Body>
void run_eight(Body const& body) {
  std::vector<std::thread> team;
  for (unsigned t = 0; t != 8; ++t) team.emplace_back([&body, t] { body(t); });
  for (std::thread& member : team) member.join();
}
