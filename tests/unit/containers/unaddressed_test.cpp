// SPDX-License-Identifier: Apache-2.0
// Containers of elements with an operator& of their own.
#include <doctest/doctest.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>

namespace {

struct unaddressed {
  int value = 0;
  unaddressed() = default;
  unaddressed(int v) : value(v) {}
  unaddressed* operator&() = delete;
  unaddressed const* operator&() const = delete;
  friend unaddressed operator+(unaddressed const& a, unaddressed const& b) { return {a.value + b.value}; }
};

}  // namespace

TEST_CASE("elements without an address") {
  tbb::concurrent_vector<unaddressed> vector(10);
  vector.push_back(3);
  vector.begin()[0].value = 4;
  CHECK(vector.begin()->value == 4);
  tbb::enumerable_thread_specific<unaddressed> each(unaddressed(2));
  each.local();
  CHECK(each.begin()->value == 2);
  CHECK(each.combine([](unaddressed const& a, unaddressed const& b) { return a + b; }).value == 2);
  tbb::concurrent_unordered_map<int, unaddressed> map;
  map[1].value = 5;
  CHECK(map.begin()->second.value == 5);
}
