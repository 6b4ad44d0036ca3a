// SPDX-License-Identifier: Apache-2.0
// Exceptions at every allocation and every construction in the unordered and ordered containers.
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_unordered_map.h>

#include "map_cases.h"

TEST_CASE("unordered: a failing allocation anywhere changes nothing") {
  using allocator = test::counting_allocator<std::pair<int const, int>>;
  test::allocation_failure_case([](test::account& books) {
    return tbb::concurrent_unordered_map<int, int, std::hash<int>, std::equal_to<int>, allocator>{allocator(books)};
  });
  test::allocation_failure_case([](test::account& books) {
    return tbb::concurrent_unordered_multimap<int, int, std::hash<int>, std::equal_to<int>, allocator>{
        allocator(books)};
  });
}
TEST_CASE("unordered: a failing constructor anywhere changes nothing") {
  test::constructor_failure_case<tbb::concurrent_unordered_map<int, test::fragile>>();
}
TEST_CASE("ordered: a failing allocation anywhere changes nothing") {
  using allocator = test::counting_allocator<std::pair<int const, int>>;
  test::allocation_failure_case(
      [](test::account& books) { return tbb::concurrent_map<int, int, std::less<int>, allocator>{allocator(books)}; });
}
TEST_CASE("ordered: a failing constructor anywhere changes nothing") {
  test::constructor_failure_case<tbb::concurrent_map<int, test::fragile>>();
}
