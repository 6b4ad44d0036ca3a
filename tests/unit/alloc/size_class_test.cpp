// SPDX-License-Identifier: Apache-2.0
#include "alloc/heap.h"

#include <doctest/doctest.h>

#include <tbb/scalable_allocator.h>

#include <vector>

using namespace ashlar::alloc;

TEST_CASE("every size has the smallest class that holds it") {
  for (std::size_t size = 0; size <= small_limit; ++size) {
    unsigned const c = compute_class(size);
    REQUIRE(class_size(c) >= size);
    REQUIRE((c == 0 || class_size(c - 1) < size));
    if (size <= table_limit) {
      REQUIRE(class_table[size] == c);
    } else {
      REQUIRE(medium_class(size) == c);
    }
  }
}

TEST_CASE("adjacent classes differ by at most a quarter above 64 bytes") {
  for (unsigned c = 1; c < class_count; ++c) {
    CHECK(class_size(c) > class_size(c - 1));
    CHECK(class_size(c) % granule == 0);
    if (class_size(c - 1) >= 64) {
      CHECK(class_size(c) * 4 <= class_size(c - 1) * 5);
    }
  }
}

TEST_CASE("a page holds at least four objects, and little of it is no object") {
  for (unsigned c = 0; c < class_count; ++c) {
    for (bool const many : {false, true}) {
      std::size_t const bytes = page_units(c, many) * unit_bytes;
      CHECK(bytes / class_size(c) >= 4);
      // The rest of a long page is address space only; nobody touches it.
      CHECK(bytes % class_size(c) * (bytes <= 65536 ? 8 : 5) <= bytes);
    }
  }
}

TEST_CASE("a page accepts the starts of its objects and nothing else") {
  for (unsigned c = 0; c < class_count; ++c) {
    std::size_t const size = class_size(c);
    void* p = scalable_malloc(size);
    page* pg = map.find(p);
    // A class that is rarely asked for has no page; one that is asked for all the time has.
    for (int left = 16; left && pg != nullptr && pg->kind.load(ashlar::mo::relaxed) == page_kind::large; --left) {
      scalable_free(p);
      p = scalable_malloc(size);
      pg = map.find(p);
    }
    REQUIRE(pg != nullptr);
    REQUIRE(pg == map.near(p));
    REQUIRE(pg->size_class == c);
    std::size_t const bytes = pg->units * unit_bytes;
    char* const begin = pg->begin();
    // What was never handed out is no object yet.
    std::size_t const given = pg->step ? static_cast<std::size_t>(pg->fresh - begin) / size : pg->capacity;
    REQUIRE(given > 0);
    std::size_t mistaken = bytes;  // an assertion for each byte takes seconds under a sanitizer
    for (std::size_t n = 0; n < bytes; ++n) {
      bool const start = n % size == 0 && n / size < given;
      if (pg->is_block(begin + n) != start) mistaken = n;
    }
    REQUIRE(mistaken == bytes);
    // Anything outside, near and far, at all alignments that the near table could confuse.
    for (std::uintptr_t far = 0; far < 47; ++far) {
      for (std::intptr_t const distance : {std::intptr_t{1} << far, -(std::intptr_t{1} << far)}) {
        for (std::size_t k = 0; k < 64; ++k) {
          std::uintptr_t const a =
              reinterpret_cast<std::uintptr_t>(begin) + static_cast<std::uintptr_t>(distance) * (k + 1) + k * size;
          std::uintptr_t const n = a - reinterpret_cast<std::uintptr_t>(begin);
          bool const start = n < bytes && n % size == 0 && n / size < given;
          if (a >> 47 == 0) {
            REQUIRE(pg->is_block(reinterpret_cast<void*>(a)) == start);
          }
        }
      }
    }
    scalable_free(p);
  }
}
