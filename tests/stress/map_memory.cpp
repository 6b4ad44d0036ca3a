// SPDX-License-Identifier: Apache-2.0
// A large concurrent_hash_map that becomes small and large again while other threads look up, lock, walk and insert:
// the memory of erased elements goes to other threads and back to the system beneath them.
#include <tbb/concurrent_hash_map.h>

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr long many = 700'000;  // more than 32 MB of nodes

// Nodes of 64 bytes: less than a million of them are worth the system's while.
struct value {
  long key = 0;
  long uses = 0;
  long padding[4] = {};
};
using map = tbb::concurrent_hash_map<long, value>;

void fill(map& m, long from, long step) {
  for (long i = from; i < many; i += step) {
    map::accessor a;
    m.insert(a, i);
    a->second.key = i;
  }
}

TEST_CASE("pages go back while others look up, lock and walk") {
  map m;
  std::atomic<bool> done{false};
  std::atomic<long> wrong{0};
  std::vector<std::thread> others;
  others.emplace_back([&] {
    for (long i = 1; !done; i = (i * 48271) % 2147483647) {
      map::const_accessor a;
      if (m.find(a, i % many) && a->second.key != i % many) ++wrong;
      if (m.count(i % 1000) > 1) ++wrong;
    }
  });
  others.emplace_back([&] {
    for (long i = 1; !done; i = (i * 16807) % 2147483647) {
      map::accessor a;
      if (!m.find(a, i % many)) continue;
      if (a->second.key != i % many) ++wrong;
      ++a->second.uses;
      if (i % 64 == 0) m.erase(a);
    }
  });
  others.emplace_back([&] {
    while (!done) {
      m.visit_all([&](map::value_type& v) {
        if (v.first < many && v.second.key != v.first) ++wrong;
      });
    }
  });
  others.emplace_back([&] {
    for (long i = 0; !done; i = (i + 1) % 1000) {  // keys of its own
      map::accessor a;
      m.insert(a, many + i);
      a->second.key = many + i;
      a.release();
      m.erase(many + (i + 500) % 1000);
    }
  });
  for (int round = 0; round != 2; ++round) {
    std::thread half([&] { fill(m, 0, 2); });
    fill(m, 1, 2);
    half.join();
    std::thread other([&] {
      for (long i = 0; i < many; i += 2) m.erase(i * 7919 % many);
    });
    for (long i = 1; i < many; i += 2) m.erase(i * 7919 % many);
    other.join();
  }
  done = true;
  for (std::thread& t : others) t.join();
  REQUIRE(wrong == 0);
  for (long i = 0; i != many + 1000; ++i) m.erase(i);
  REQUIRE(m.empty());
  REQUIRE(m.begin() == m.end());
}

}  // namespace
