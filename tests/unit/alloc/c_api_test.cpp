// SPDX-License-Identifier: Apache-2.0
#include <ashlar/base/config.h>
#include <doctest/doctest.h>

#include <support/death.h>
#include <support/emulator.h>
#include <tbb/scalable_allocator.h>

#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();

bool aligned(void const* p, std::size_t a) { return reinterpret_cast<std::uintptr_t>(p) % a == 0; }

// Calls f and tells the errno that it set, 0 if it left errno alone.
template <typename F>
int error_of(F f) {
  errno = 0;
  f();
  return errno;
}

}  // namespace

TEST_CASE("malloc gives distinct, aligned, writable memory of every size") {
  for (std::size_t size : {0ul, 1ul, 8ul, 16ul, 17ul, 64ul, 1023ul, 1024ul, 1025ul, 4096ul, 131071ul, 131072ul,
                           131073ul, 1ul << 20, (1ul << 20) + 1, 40ul << 20}) {
    CAPTURE(size);
    void* const a = scalable_malloc(size);
    void* const b = scalable_malloc(size);
    REQUIRE(a != nullptr);
    REQUIRE(b != nullptr);
    CHECK(a != b);
    CHECK(aligned(a, 16));
    CHECK(scalable_msize(a) >= size);
    std::memset(a, 1, scalable_msize(a));
    std::memset(b, 2, scalable_msize(b));
    CHECK(static_cast<unsigned char*>(a)[size ? size - 1 : 0] == 1);
    scalable_free(a);
    scalable_free(b);
  }
  scalable_free(nullptr);
}

TEST_CASE("requests that nobody can serve fail with ENOMEM") {
  for (std::size_t size : {huge, huge - 1, huge - 4096, huge / 2, std::size_t{1} << 47, (std::size_t{1} << 46) + 1}) {
    CHECK(error_of([&] { CHECK(scalable_malloc(size) == nullptr); }) == ENOMEM);
    CHECK(error_of([&] { CHECK(scalable_calloc(1, size) == nullptr); }) == ENOMEM);
    CHECK(error_of([&] { CHECK(scalable_aligned_malloc(size, 64) == nullptr); }) == ENOMEM);
    CHECK(error_of([&] { CHECK(scalable_aligned_malloc(16, std::size_t{1} << 62) == nullptr); }) == ENOMEM);
    void* p = &p;
    CHECK(error_of([&] { CHECK(scalable_posix_memalign(&p, 64, size) == ENOMEM); }) == 0);
    CHECK(p == &p);
  }
  CHECK(error_of([] { CHECK(scalable_calloc(huge / 2, 3) == nullptr); }) == ENOMEM);
  CHECK(error_of([] { CHECK(scalable_calloc(std::size_t{1} << 33, std::size_t{1} << 33) == nullptr); }) == ENOMEM);
  void* const p = scalable_malloc(100);
  std::memset(p, 7, 100);
  CHECK(error_of([&] { CHECK(scalable_realloc(p, huge - 100) == nullptr); }) == ENOMEM);
  CHECK(static_cast<char*>(p)[99] == 7);
  scalable_free(p);
}

// Whether the system promises that much address space is its business. In a child, which takes along the tables for it.
TEST_CASE("sizes and alignments of any number of bits are served or refused") {
  test::death const d = test::run_in_child([] {
    auto const try_it = [](std::size_t size, std::size_t align) {
      errno = 0;
      char* const p = static_cast<char*>(align ? scalable_aligned_malloc(size, align) : scalable_malloc(size));
      if (p ? !aligned(p, align ? align : 16) || scalable_msize(p) < size : errno != ENOMEM) {
        std::fprintf(stderr, "size %zx, alignment %zx: %p\n", size, align, static_cast<void*>(p));
        _exit(10);
      }
      if (p != nullptr) {
        p[0] = p[size - 1] = 1;
      }
      scalable_free(p);
    };
    for (unsigned bits = 20; bits < 64; ++bits) {
      if ((ASHLAR_TSAN || ASHLAR_ASAN) && bits > 32 && bits < 46) {
        continue;  // room that the sanitizers have taken
      }
      if (test::emulated && bits > 32) break;
      std::size_t const power = std::size_t{1} << bits;
      for (std::size_t const size : {power - 1, power, power + 1, power + 16384}) {
        try_it(size, 0);
        try_it(size, std::size_t{1} << 21);
        try_it(size, power);
      }
      try_it(100, power);
    }
  });
  INFO(d.errors);
  CHECK(d.exited);
  CHECK(d.code == 0);
}

TEST_CASE("calloc zeroes memory that was used before") {
  for (std::size_t size : {1ul, 100ul, 1000ul, 5000ul, 100000ul, 131073ul, 3ul << 20}) {
    for (int round = 0; round < 3; ++round) {
      unsigned char* const p = static_cast<unsigned char*>(scalable_calloc(size, 1));
      REQUIRE(p != nullptr);
      bool zero = true;
      for (std::size_t i = 0; i < size; ++i) {
        zero = zero && p[i] == 0;
      }
      CHECK(zero);
      std::memset(p, 0xee, size);
      scalable_free(p);
    }
  }
  scalable_free(scalable_calloc(0, 5));
}

TEST_CASE("realloc follows C and keeps the contents") {
  CHECK(scalable_realloc(scalable_malloc(10), 0) == nullptr);
  unsigned char* p = static_cast<unsigned char*>(scalable_realloc(nullptr, 1));
  std::size_t filled = 1;
  p[0] = 0;
  // Up through all kinds of objects and down again.
  std::vector<std::size_t> sizes;
  for (std::size_t s = 2; s < (64u << 20); s = s * 3 / 2 + 1) {
    sizes.push_back(s);
  }
  for (std::size_t i = sizes.size(); i-- > 0;) {
    sizes.push_back(sizes[i]);
  }
  for (std::size_t size : sizes) {
    p = static_cast<unsigned char*>(scalable_realloc(p, size));
    REQUIRE(p != nullptr);
    REQUIRE(scalable_msize(p) >= size);
    std::size_t const kept = filled < size ? filled : size;
    for (std::size_t i = 0; i < kept; i += kept < 100000 ? 1 : 4093) {
      REQUIRE(p[i] == static_cast<unsigned char>(i * 7));
    }
    for (std::size_t i = filled; i < size; ++i) {
      p[i] = static_cast<unsigned char>(i * 7);
    }
    filled = size;
  }
  scalable_free(p);
}

TEST_CASE("alignments of every power of two up to 4 MB, of every kind of size") {
  for (std::size_t a = 1; a <= (4u << 20); a *= 2) {
    for (std::size_t size : {1ul, 24ul, 100ul, 1000ul, 5000ul, 70000ul, 200000ul, 1ul << 21}) {
      void* const p = scalable_aligned_malloc(size, a);
      REQUIRE(p != nullptr);
      CHECK(aligned(p, a));
      CHECK(scalable_msize(p) >= size);
      std::memset(p, 1, size);
      void* const q = scalable_aligned_realloc(p, size * 2 + 5, a);
      REQUIRE(q != nullptr);
      CHECK(aligned(q, a));
      CHECK(static_cast<char*>(q)[size - 1] == 1);
      void* m = nullptr;
      CHECK(scalable_posix_memalign(&m, a, size) == (a < sizeof(void*) ? EINVAL : 0));
      CHECK(aligned(m, a));
      scalable_free(m);
      scalable_aligned_free(q);
    }
  }
}

TEST_CASE("wrong arguments get EINVAL") {
  void* p = nullptr;
  for (std::size_t a : {0ul, 3ul, 12ul, 24ul, 100ul}) {
    CHECK(scalable_posix_memalign(&p, a, 8) == EINVAL);
    CHECK(error_of([&] { CHECK(scalable_aligned_malloc(8, a) == nullptr); }) == EINVAL);
    CHECK(error_of([&] { CHECK(scalable_aligned_realloc(nullptr, 8, a) == nullptr); }) == EINVAL);
  }
  CHECK(scalable_posix_memalign(&p, 4, 8) == EINVAL);
  CHECK(error_of([] { CHECK(scalable_aligned_malloc(0, 8) == nullptr); }) == EINVAL);
  CHECK(error_of([] { CHECK(scalable_msize(nullptr) == 0); }) == EINVAL);
  int on_the_stack;
  CHECK(scalable_msize(&on_the_stack) == 0);
  CHECK(scalable_aligned_realloc(scalable_malloc(5), 0, 8) == nullptr);
}

// The sanitizers map more address space than the limit leaves.
TEST_CASE("a full address space is an error and not an end" *
          doctest::skip(ASHLAR_TSAN || ASHLAR_ASAN || test::emulated)) {
  test::death const d = test::run_in_child([] {
    rlimit const limit{512u << 20, 512u << 20};
    if (setrlimit(RLIMIT_AS, &limit) != 0) {
      _exit(10);
    }
    for (std::size_t size : {64ul, 3000ul, 100000ul, 1ul << 20, 10ul << 20}) {
      std::size_t counts[2];
      for (std::size_t& count : counts) {
        count = 0;
        void* chain = nullptr;
        errno = 0;
        while (void* const p = scalable_malloc(size)) {
          *static_cast<void**>(p) = chain;
          chain = p;
          ++count;
        }
        if (errno != ENOMEM) {
          _exit(11);
        }
        while (chain != nullptr) {
          void* const next = *static_cast<void**>(chain);
          scalable_free(chain);
          chain = next;
        }
      }
      // Nothing was lost: nearly as much is there the second time, and it was most of the limit.
      if (counts[0] * size < (300u << 20) || counts[1] * 10 < counts[0] * 9) {
        std::fprintf(stderr, "%zu bytes: %zu then %zu\n", size, counts[0], counts[1]);
        _exit(12);
      }
    }
  });
  CAPTURE(d.errors);
  CHECK(d.exited);
  CHECK(d.code == 0);
}

TEST_CASE("modes and commands know their parameters") {
  CHECK(scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 2) == TBBMALLOC_INVALID_PARAM);
  CHECK(scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, -1) == TBBMALLOC_INVALID_PARAM);
  std::string available;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), available);
  bool const never = available.empty() || available.find("[never]") != std::string::npos;
  CHECK(scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 1) == (never ? TBBMALLOC_NO_EFFECT : TBBMALLOC_OK));
  CHECK(scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 0) == TBBMALLOC_OK);
  CHECK(scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, 0) == TBBMALLOC_OK);
  CHECK(scalable_allocation_mode(TBBMALLOC_SET_SOFT_HEAP_LIMIT, -1) == TBBMALLOC_INVALID_PARAM);
  CHECK(scalable_allocation_mode(TBBMALLOC_SET_HUGE_SIZE_THRESHOLD, -1) == TBBMALLOC_INVALID_PARAM);
  CHECK(scalable_allocation_mode(77, 1) == TBBMALLOC_INVALID_PARAM);
  int parameter = 0;
  CHECK(scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, &parameter) == TBBMALLOC_INVALID_PARAM);
  CHECK(scalable_allocation_command(99, nullptr) == TBBMALLOC_INVALID_PARAM);
  scalable_free(scalable_malloc(1 << 20));
  CHECK(scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr) == TBBMALLOC_OK);
  CHECK(scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr) == TBBMALLOC_NO_EFFECT);
  scalable_free(scalable_malloc(1 << 20));
  CHECK(scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr) == TBBMALLOC_OK);
  CHECK(scalable_allocation_command(TBBMALLOC_CLEAN_THREAD_BUFFERS, nullptr) == TBBMALLOC_NO_EFFECT);
}
