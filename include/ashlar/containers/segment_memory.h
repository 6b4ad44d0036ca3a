// SPDX-License-Identifier: Apache-2.0
// Supplies a segmented_queue with the memory of a user's allocator. The allocator is asked for units of 16 bytes,
// because many allocators ignore stricter alignments; the block is aligned here and its own address kept behind the
// segment.
#pragma once

#include <ashlar/base/config.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename T, typename Allocator>
class segment_memory {
  struct alignas(16) unit {
    unsigned char bytes[16];
  };

 public:
  using element_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<T>;
  using element_traits = std::allocator_traits<element_allocator>;

  explicit segment_memory(Allocator const& a) : allocator_(a) {}

  void* allocate(std::size_t bytes, std::size_t alignment) {
    unit_allocator a(allocator_);
    block const b = unit_traits::allocate(a, units(bytes, alignment));
    auto const first = reinterpret_cast<std::uintptr_t>(std::addressof(*b));
    std::uintptr_t const aligned = (first + alignment - 1) & ~(alignment - 1);
    ::new (reinterpret_cast<void*>(aligned + bytes)) block(b);
    return reinterpret_cast<void*>(aligned);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    auto* const kept = reinterpret_cast<block*>(static_cast<unsigned char*>(p) + bytes);
    block const b = *kept;
    kept->~block();
    unit_allocator a(allocator_);
    unit_traits::deallocate(a, b, units(bytes, alignment));
  }
  template <typename... Args>
  void construct(T* element, Args&&... args) {
    element_traits::construct(allocator_, element, std::forward<Args>(args)...);
  }
  void destroy(T* element) noexcept { element_traits::destroy(allocator_, element); }

  element_allocator const& allocator() const noexcept { return allocator_; }

  // The allocator stays with its memory, unless it is one that never moves between containers.
  friend void swap(segment_memory& a, segment_memory& b) noexcept {
    if constexpr (element_traits::propagate_on_container_swap::value ||
                  element_traits::propagate_on_container_move_assignment::value ||
                  element_traits::propagate_on_container_copy_assignment::value) {
      using std::swap;
      swap(a.allocator_, b.allocator_);
    } else {
      (void)a;
      (void)b;
    }
  }

 private:
  using unit_allocator = typename element_traits::template rebind_alloc<unit>;
  using unit_traits = std::allocator_traits<unit_allocator>;
  using block = typename unit_traits::pointer;

  static constexpr std::size_t units(std::size_t bytes, std::size_t alignment) {
    return (bytes + alignment - sizeof(unit) + sizeof(block) + sizeof(unit) - 1) / sizeof(unit);
  }

  element_allocator allocator_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
