// SPDX-License-Identifier: Apache-2.0
// Memory that runs out where a test wants it: the program's operator new. For one file of a program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// Counts down to the one that fails; negative: none does.
std::atomic<int> allocations_left{-1};
std::atomic<bool> memory_is_full{false};

bool fails(std::atomic<int>& left) {
  int n = left.load(std::memory_order_relaxed);
  while (n > 0 && !left.compare_exchange_weak(n, n - 1, std::memory_order_relaxed)) {
  }
  return n == 1;
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (memory_is_full.load(std::memory_order_relaxed) || fails(allocations_left)) throw std::bad_alloc();
  void* const place = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (place == nullptr) throw std::bad_alloc();
  return place;
}

// Not inline, or the compiler warns where it sees free() for what operator new, which it does not see through,
// returned.
[[gnu::noinline]] void give_back(void* p) noexcept { std::free(p); }

}  // namespace

void* operator new(std::size_t size) { return allocate(size == 0 ? 1 : size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// Without these the sanitizer's own would allocate.
void* operator new[](std::size_t size) { return ::operator new(size); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { give_back(p); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  try {
    return ::operator new(size);
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
