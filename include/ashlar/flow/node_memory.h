// SPDX-License-Identifier: Apache-2.0
// Where nodes lie that a program makes with `new`: in the memory of the library, which costs a third of what malloc
// takes for objects of their size.
//
// Threads    any.
#pragma once

#include <ashlar/base/memory.h>

#include <cstddef>
#include <new>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// The base of nodes. A class hides all forms of `new` when it has one, so these are the standard library's. Nodes with
/// over-aligned messages come from where those come from that have no such base.
class node_memory {
 public:
  /// Throws std::bad_alloc.
  static void* operator new(std::size_t size) { return allocate_memory(size); }
  static void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    ASHLAR_TRY { return allocate_memory(size); }
    ASHLAR_CATCH_ALL {}
    return nullptr;
  }
  static void* operator new(std::size_t, void* place) noexcept { return place; }
  static void* operator new(std::size_t size, std::align_val_t a) { return ::operator new(size, a); }
  static void* operator new(std::size_t size, std::align_val_t a, std::nothrow_t const& t) noexcept {
    return ::operator new(size, a, t);
  }
  static void operator delete(void* p) noexcept { deallocate_memory(p); }
  static void operator delete(void* p, std::align_val_t a) noexcept { ::operator delete(p, a); }
  // After a constructor that throws.
  static void operator delete(void* p, std::nothrow_t const&) noexcept { deallocate_memory(p); }
  static void operator delete(void*, void*) noexcept {}
  static void operator delete(void* p, std::align_val_t a, std::nothrow_t const&) noexcept { ::operator delete(p, a); }
};

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
