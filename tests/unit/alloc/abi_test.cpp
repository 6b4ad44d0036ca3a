// SPDX-License-Identifier: Apache-2.0
// What programs that were compiled with older headers rely on: the public structures never change, and a call writes as
// much as it did. Something new gets a structure and a function of its own.
#include <ashlar/alloc/malloc_stats.h>
#include <ashlar/alloc/pool_interface.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace {

constexpr std::size_t word = sizeof(std::size_t);

static_assert(sizeof(ashlar_malloc_stats) == 5 * word);
static_assert(offsetof(ashlar_malloc_stats, mapped) == 0);
static_assert(offsetof(ashlar_malloc_stats, used) == word);
static_assert(offsetof(ashlar_malloc_stats, free_dirty) == 2 * word);
static_assert(offsetof(ashlar_malloc_stats, metadata) == 3 * word);
static_assert(offsetof(ashlar_malloc_stats, heaps) == 4 * word);

static_assert(sizeof(ashlar_malloc_class_stats) == 2 * word);
static_assert(offsetof(ashlar_malloc_class_stats, size) == 0);
static_assert(offsetof(ashlar_malloc_class_stats, pages) == word);

static_assert(sizeof(ashlar_malloc_class_usage) == 5 * word);
static_assert(offsetof(ashlar_malloc_class_usage, size) == 0);
static_assert(offsetof(ashlar_malloc_class_usage, pages) == word);
static_assert(offsetof(ashlar_malloc_class_usage, held) == 2 * word);
static_assert(offsetof(ashlar_malloc_class_usage, least_in_use) == 3 * word);
static_assert(offsetof(ashlar_malloc_class_usage, most_in_use) == 4 * word);

static_assert(sizeof(ashlar_malloc_usage) == 5 * word);
static_assert(offsetof(ashlar_malloc_usage, held) == 0);
static_assert(offsetof(ashlar_malloc_usage, pages) == word);
static_assert(offsetof(ashlar_malloc_usage, large) == 2 * word);
static_assert(offsetof(ashlar_malloc_usage, least_in_use) == 3 * word);
static_assert(offsetof(ashlar_malloc_usage, most_in_use) == 4 * word);

// TBB's.
static_assert(sizeof(rml::MemPoolPolicy) == 4 * word);
static_assert(offsetof(rml::MemPoolPolicy, pAlloc) == 0);
static_assert(offsetof(rml::MemPoolPolicy, pFree) == word);
static_assert(offsetof(rml::MemPoolPolicy, granularity) == 2 * word);
static_assert(offsetof(rml::MemPoolPolicy, version) == 3 * word);

constexpr std::size_t untouched = 0x5a5a5a5a;

// Room for `count` records of so many words as the header has always said, and more behind it.
template <typename Record>
void check_extent(std::size_t (*get)(Record*, std::size_t), std::size_t words) {
  std::size_t const count = get(nullptr, 0);
  REQUIRE(count > 16);
  for (std::size_t const n : {std::size_t{1}, count}) {
    std::vector<std::size_t> memory(count * words + 64, untouched);
    CHECK(get(reinterpret_cast<Record*>(memory.data()), n) == count);
    CHECK(memory[n * words - 1] != untouched);
    for (std::size_t i = n * words; i < memory.size(); ++i) CHECK(memory[i] == untouched);
  }
}

}  // namespace

TEST_CASE("the records of size classes keep their length") {
  check_extent(&ashlar_malloc_get_class_stats, 2);
  check_extent(&ashlar_malloc_get_class_usage, 5);
}

TEST_CASE("both records of a size class agree") {
  std::size_t const count = ashlar_malloc_get_class_stats(nullptr, 0);
  std::vector<ashlar_malloc_class_stats> stats(count);
  std::vector<ashlar_malloc_class_usage> usage(count);
  ashlar_malloc_get_class_stats(stats.data(), count);
  ashlar_malloc_get_class_usage(usage.data(), count);
  for (std::size_t c = 0; c < count; ++c) {
    CHECK(stats[c].size == usage[c].size);
    CHECK(stats[c].pages == usage[c].pages);
    CHECK(usage[c].held >= usage[c].pages * usage[c].size);
    CHECK(usage[c].least_in_use <= usage[c].most_in_use);
  }
}
