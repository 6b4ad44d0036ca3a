// SPDX-License-Identifier: Apache-2.0
// The command allocates with our own allocator: building the graph of a long trace makes and drops millions of small
// lists.
#include <tbb/scalable_allocator.h>

#include <cstddef>
#include <new>

void* operator new(std::size_t size) {
  void* const p = scalable_malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p) noexcept { scalable_free(p); }
void operator delete(void* p, std::size_t) noexcept { scalable_free(p); }
