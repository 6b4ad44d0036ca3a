// SPDX-License-Identifier: Apache-2.0
// When elements of maps and sets end: each once, those of maps with static storage after main, and an element's end may
// use another map.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_unordered_map.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct element {
  static inline std::atomic<int> live{0};
  int value;
  element(int v) : value(v) { ++live; }  // NOLINT: implicit
  element(element const& other) : element(other.value) {}
  ~element() { --live; }
};

// Made before the maps, so it ends after them.
struct last_word {
  ~last_word() {
    if (element::live == 0) return;
    std::fprintf(stderr, "%d elements of static maps were not destroyed once\n", element::live.load());
    std::_Exit(9);
  }
} const last;
tbb::concurrent_hash_map<int, element> hashed;
tbb::concurrent_unordered_multimap<int, element> unordered;
tbb::concurrent_map<std::string, element> ordered;

// Tells the map behind it when it ends.
struct reporter {
  tbb::concurrent_hash_map<int, int>* ended;
  int id;
  reporter(tbb::concurrent_hash_map<int, int>& e, int i) : ended(&e), id(i) {}
  reporter(reporter const&) = delete;
  ~reporter() {
    tbb::concurrent_hash_map<int, int>::accessor a;
    ended->insert(a, id);
    ++a->second;
  }
};

template <typename Map>
void each_ends_once() {
  tbb::concurrent_hash_map<int, int> ended;
  {
    Map m;
    for (int i = 0; i < 500; ++i) m.emplace(std::piecewise_construct, std::tuple(i), std::tuple(std::ref(ended), i));
    CHECK(ended.empty());
    m.clear();
    CHECK(ended.size() == 500);
    for (int i = 500; i < 600; ++i) m.emplace(std::piecewise_construct, std::tuple(i), std::tuple(std::ref(ended), i));
  }
  CHECK(ended.size() == 600);
  for (auto const& v : ended) CHECK_UNARY(v.second == 1);
}

}  // namespace

TEST_CASE("maps: elements of maps with static storage end with the process") {
  for (int i = 0; i < 1000; ++i) {
    hashed.insert({i, i});
    unordered.insert({i % 10, i});
    ordered.insert({std::to_string(i), i});
  }
  CHECK(element::live == 3000);
  for (int i = 0; i < 1000; i += 2) hashed.erase(i);
  unordered.unsafe_erase(3);
  ordered.unsafe_erase("7");
  CHECK(element::live == 3000 - 500 - 100 - 1);  // what is left is for last_word to see
}

TEST_CASE("maps: each element ends once, and its end may use another map") {
  each_ends_once<tbb::concurrent_hash_map<int, reporter>>();
  each_ends_once<tbb::concurrent_unordered_map<int, reporter>>();
  each_ends_once<tbb::concurrent_multimap<int, reporter>>();
}
