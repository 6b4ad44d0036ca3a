// SPDX-License-Identifier: Apache-2.0
#include "alloc/rare_classes.h"

#include "alloc/page_map.h"

#include <ashlar/alloc/scalable_malloc.h>

#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace ashlar::alloc;

namespace {

constexpr std::size_t kb = 1024;

bool lies_alone(void const* p) { return map.find(p)->kind.load(ashlar::mo::relaxed) == page_kind::large; }

}  // namespace

TEST_CASE("a class that is asked for all the time deserves a page, one among many does not") {
  rare_classes often;
  int asked = 1;
  while (!often.deserves_page(compute_class(100 * kb))) {
    REQUIRE(++asked < 100);
  }
  CHECK(asked > 2);
  rare_classes mixed;
  for (int round = 0; round < 100; ++round) {
    for (std::size_t size = 40 * kb; size <= small_limit; size += 4 * kb) {
      CHECK_FALSE(mixed.deserves_page(compute_class(size)));
    }
  }
}

TEST_CASE("many living objects of a medium class lie in pages") {
  std::thread([] {
    std::vector<void*> objects;
    for (int round = 0; round < 20; ++round) {
      for (std::size_t size = 9 * kb; size <= 24 * kb; size += kb) {
        objects.push_back(scalable_malloc(size));
        REQUIRE(objects.back() != nullptr);
      }
    }
    // Many of one class live by now: no unit is wasted on each.
    CHECK_FALSE(lies_alone(objects.back()));
    std::thread([&] {
      for (void* p : objects) {
        scalable_free(p);
      }
    }).join();
  }).join();
}
