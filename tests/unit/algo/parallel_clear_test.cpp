// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_clear.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include <atomic>

namespace {

struct counted {
  static inline std::atomic<int> live{0};
  counted() { ++live; }
  counted(counted const&) { ++live; }
  ~counted() { --live; }
};

TEST_CASE("parallel_clear destroys every element once and keeps the memory") {
  for (int const n : {0, 1, 9, 5000}) {
    tbb::concurrent_vector<counted> v;
    for (int i = 0; i != n; ++i) v.emplace_back();
    CHECK(counted::live == n);
    std::size_t const room = v.capacity();
    tbb::parallel_clear(v);
    CHECK(counted::live == 0);
    CHECK(v.empty());
    CHECK(v.capacity() == room);
    v.grow_by(3);
    CHECK(counted::live == 3);
  }
  CHECK(counted::live == 0);
}

TEST_CASE("parallel_clear is complete in a cancelled group") {
  tbb::concurrent_vector<counted> v(3000);
  tbb::task_group group;
  group.run_and_wait([&] {
    group.cancel();
    tbb::parallel_clear(v);
  });
  CHECK(counted::live == 0);
  CHECK(v.empty());
}

}  // namespace
