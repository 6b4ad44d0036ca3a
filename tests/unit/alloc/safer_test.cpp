// SPDX-License-Identifier: Apache-2.0
// The entry points through which a malloc replacement passes pointers that may be the original library's.
#include <ashlar/base/config.h>
#include <doctest/doctest.h>

#include <tbb/scalable_allocator.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

extern "C" {
void __TBB_malloc_safer_free(void* p, void (*original)(void*));
void* __TBB_malloc_safer_realloc(void* p, std::size_t size, void* original);
void* __TBB_malloc_safer_aligned_realloc(void* p, std::size_t size, std::size_t alignment, void* original);
std::size_t __TBB_malloc_safer_msize(void* p, std::size_t (*original)(void*));
std::size_t __TBB_malloc_safer_aligned_msize(void* p, std::size_t alignment, std::size_t offset,
                                             std::size_t (*original)(void*, std::size_t, std::size_t));
}

namespace {

// The original library, which has one object. It tells what it was called with.
char foreign[64];
void* seen = nullptr;
std::size_t seen_size = 0;

void original_free(void* p) { seen = p; }
void* original_realloc(void* p, std::size_t size) {
  seen = p;
  seen_size = size;
  return foreign + 1;
}
std::size_t original_msize(void* p) {
  seen = p;
  return 42;
}
std::size_t original_aligned_msize(void* p, std::size_t alignment, std::size_t offset) {
  seen = p;
  return alignment + offset;
}

void* const realloc_pointer = reinterpret_cast<void*>(original_realloc);

}  // namespace

TEST_CASE("objects of the allocator stay here") {
  for (std::size_t size : {16ul, 1000ul, 1ul << 20}) {
    CAPTURE(size);
    seen = nullptr;
    char* p = static_cast<char*>(scalable_malloc(size));
    CHECK(__TBB_malloc_safer_msize(p, original_msize) == scalable_msize(p));
    CHECK(__TBB_malloc_safer_aligned_msize(p, 16, 0, original_aligned_msize) == scalable_msize(p));
    std::memset(p, 3, size);
    p = static_cast<char*>(__TBB_malloc_safer_realloc(p, 2 * size, realloc_pointer));
    REQUIRE(p != nullptr);
    CHECK(scalable_msize(p) >= 2 * size);
    p = static_cast<char*>(__TBB_malloc_safer_aligned_realloc(p, 3 * size, 256, realloc_pointer));
    REQUIRE(p != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
    CHECK(p[size - 1] == 3);
    __TBB_malloc_safer_free(p, original_free);
    CHECK(seen == nullptr);
  }
}

TEST_CASE("the freed object's memory comes back") {
  void* const p = scalable_malloc(160);
  __TBB_malloc_safer_free(p, original_free);
  void* const q = scalable_malloc(160);
#ifndef ASHLAR_MALLOC_HARDENED
  CHECK(q == p);
#endif
  scalable_free(q);
}

TEST_CASE("objects from elsewhere go to the original functions") {
  __TBB_malloc_safer_free(foreign, original_free);
  CHECK(seen == foreign);
  seen = nullptr;
  CHECK(__TBB_malloc_safer_realloc(foreign, 77, realloc_pointer) == foreign + 1);
  CHECK(seen == foreign);
  CHECK(seen_size == 77);
  CHECK(__TBB_malloc_safer_aligned_realloc(foreign, 78, 64, realloc_pointer) == foreign + 1);
  CHECK(seen_size == 78);
  seen = nullptr;
  CHECK(__TBB_malloc_safer_msize(foreign, original_msize) == 42);
  CHECK(seen == foreign);
  CHECK(__TBB_malloc_safer_aligned_msize(foreign, 32, 5, original_aligned_msize) == 37);
}

TEST_CASE("without an original nothing happens to them") {
  std::memset(foreign, 9, sizeof foreign);
  __TBB_malloc_safer_free(foreign, nullptr);
  CHECK(__TBB_malloc_safer_realloc(foreign, 10, nullptr) == nullptr);
  CHECK(__TBB_malloc_safer_aligned_realloc(foreign, 10, 16, nullptr) == nullptr);
  CHECK(__TBB_malloc_safer_msize(foreign, nullptr) == 0);
  CHECK(__TBB_malloc_safer_aligned_msize(foreign, 16, 0, nullptr) == 0);
  CHECK(foreign[63] == 9);
}

TEST_CASE("null and wrong alignments") {
  seen = nullptr;
  __TBB_malloc_safer_free(nullptr, original_free);
  CHECK(__TBB_malloc_safer_msize(nullptr, original_msize) == 0);
  CHECK(__TBB_malloc_safer_aligned_msize(nullptr, 16, 0, original_aligned_msize) == 0);
  void* p = __TBB_malloc_safer_realloc(nullptr, 50, realloc_pointer);
  CHECK(scalable_msize(p) >= 50);
  CHECK(__TBB_malloc_safer_realloc(p, 0, realloc_pointer) == nullptr);
  p = __TBB_malloc_safer_aligned_realloc(nullptr, 50, 512, realloc_pointer);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % 512 == 0);
  CHECK(scalable_msize(p) >= 50);
  errno = 0;
  CHECK(__TBB_malloc_safer_aligned_realloc(p, 60, 24, realloc_pointer) == nullptr);
  CHECK(errno == EINVAL);
  scalable_free(p);
  CHECK(seen == nullptr);
}
