// SPDX-License-Identifier: Apache-2.0
// A second accessor that would wait for one of the same thread is a failed assertion, and nothing else is.
#include "support/death.h"

#include <tbb/concurrent_hash_map.h>

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <thread>

using map_type = tbb::concurrent_hash_map<int, int>;

#if TBB_USE_ASSERT
TEST_CASE("a second accessor on a key that the thread holds is an assertion") {
  for (int const how : {0, 1, 2, 3}) {
    CAPTURE(how);
    test::death const end = test::run_in_child([how] {
      map_type map;
      map.insert({1, 1});
      map_type::accessor writes, second;
      map_type::const_accessor reads, reads_too;
      if (how == 0) map.find(writes, 1) && map.find(second, 1);
      if (how == 1) map.find(writes, 1) && map.find(reads, 1);
      if (how == 2) map.find(reads, 1) && map.insert(writes, 1);
      if (how == 3) map.find(reads, 1) && map.erase(1);
    });
    INFO(end.errors);
    CHECK(end.by_signal(SIGABRT));
    CHECK(end.errors.find("same thread") != std::string::npos);
  }
}
#endif

TEST_CASE("accessors that don't wait for their own thread are no mistake") {
  map_type map;
  for (int i = 0; i < 100; ++i) map.insert({i, i});
  {
    map_type::const_accessor one, two;
    CHECK(map.find(one, 1));
    CHECK(map.find(two, 1));
    map_type::accessor other;
    CHECK(map.find(other, 2));
    CHECK(map.erase(other));
  }
  for (int i = 3; i < 100; ++i) {
    map_type::accessor a;
    CHECK(map.find(a, i));
    a.release();
    CHECK(map.find(a, i));
    CHECK(map.erase(a));
    CHECK(map.insert(a, i));
  }
  // Another thread gives back what this one has taken, and waits for what this one holds.
  auto* const away = new map_type::accessor;
  CHECK(map.find(*away, 3));
  std::thread([away] { delete away; }).join();
  map_type::accessor mine;
  CHECK(map.find(mine, 3));
  std::thread waiter([&map] {
    map_type::accessor a;
    map.find(a, 3);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  mine.release();
  waiter.join();
}
