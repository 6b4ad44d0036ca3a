// SPDX-License-Identifier: Apache-2.0
// concurrent_hash_map beside a shadow: each thread owns some keys, whose presence and value it knows exactly; all
// threads also insert, count up and erase a few shared keys, and look at the keys of others. The maps without
// concurrent erase beside the same: own keys, keys that all insert, and walks. Oversubscribed on purpose.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_unordered_map.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

constexpr int threads = 8;
constexpr int own_keys = 500;
constexpr int steps = 20000;

std::string name(int key) { return "a key longer than a short string " + std::to_string(key); }

using map = tbb::concurrent_hash_map<std::string, int>;

struct worker {
  map& shared;
  int id;
  int errors = 0;
  std::vector<int> shadow = std::vector<int>(own_keys, -1);  // -1: absent

  unsigned random() { return state = state * 1664525u + 1013904223u; }

  void change_own(unsigned r) {
    int const k = static_cast<int>(r >> 8) % own_keys;
    int& expected = shadow[static_cast<std::size_t>(k)];
    std::string const key = name(id * own_keys + k);
    map::accessor a;
    switch (r % 4) {
      case 0:
        errors += shared.insert(a, key) != (expected < 0);
        if (expected >= 0) errors += a->second != expected;
        expected = a->second = static_cast<int>(r >> 16);
        break;
      case 1:
        errors += shared.erase(key) != (expected >= 0);
        expected = -1;
        break;
      case 2:
        errors += shared.find(a, key) != (expected >= 0);
        if (!a.empty()) {
          errors += a->second != expected;
          if (r & 64) {
            errors += !shared.erase(a);
            expected = -1;
          }
        }
        break;
      default:
        errors += shared.count(key) != (expected >= 0 ? 1u : 0u);
    }
  }
  void change_shared(unsigned r) {
    std::string const key = "shared" + std::to_string(r % 8);
    map::accessor a;
    if (shared.insert(a, key)) a->second = 0;
    int const before = a->second++;
    errors += a->second != before + 1;
    if (before > 50) shared.erase(a);
  }
  void run() {
    for (int i = 0; i < steps; ++i) {
      change_own(random());
      if (i % 4 == 0) change_shared(random() >> 8);
      map::const_accessor c;
      std::string const foreign = name(static_cast<int>(random() >> 8) % (threads * own_keys));
      if (shared.find(c, foreign)) errors += c->first != foreign;
    }
  }
  unsigned state = static_cast<unsigned>(id) * 7919 + 1;
};

// Keys that only grow in number. Multiples of 8 are common to all threads.
constexpr int common_keys = 400;
constexpr int lone_keys = 1200;

template <typename Key>
Key make_key(std::uint32_t k) {
  std::uint32_t const scattered = k * 2654435761u;
  if constexpr (std::is_same_v<Key, std::string>) {
    return name(static_cast<int>(scattered >> 1));
  } else {
    return scattered;
  }
}

template <typename Map>
struct grower {
  using key = std::remove_const_t<typename Map::value_type::first_type>;

  Map& shared;
  std::atomic<int>& common_inserted;
  int id;
  int errors = 0;

  key lone(int k) const { return make_key<key>(static_cast<std::uint32_t>((k * threads + id) * 8 + 1)); }
  static key common(int k) { return make_key<key>(static_cast<std::uint32_t>(k * 8)); }

  void run() {
    for (int k = 0; k < lone_keys; ++k) {
      errors += !shared.insert({lone(k), id}).second;
      if (k < common_keys) common_inserted += shared.insert({common(k), -1}).second;
      errors += !shared.contains(common(k % common_keys)) && k >= common_keys;
      auto const earlier = shared.find(lone(k * 7 % (k + 1)));
      errors += earlier == shared.end() || earlier->second != id;
      if (k % 400 == 399) walk(k + 1);
    }
  }
  // Meets all own keys.
  void walk(int own) {
    for (auto i = shared.begin(); i != shared.end(); ++i) own -= i->second == id;
    errors += own != 0;
  }
};

template <typename Map>
void grow_beside_shadow(Map& m) {
  std::atomic<int> common_inserted{0};
  std::vector<grower<Map>> workers;
  for (int i = 0; i < threads; ++i) workers.push_back({m, common_inserted, i});
  std::vector<std::thread> team;
  for (auto& w : workers) team.emplace_back([&w] { w.run(); });
  for (auto& t : team) t.join();
  for (auto& w : workers) {
    w.walk(lone_keys);
    CHECK(w.errors == 0);
  }
  CHECK(common_inserted == common_keys);
  CHECK(m.size() == static_cast<std::size_t>(common_keys + threads * lone_keys));
}

}  // namespace

TEST_CASE_TEMPLATE("an ordered map agrees with its threads' shadows", Key, std::uint32_t, std::string) {
  tbb::concurrent_map<Key, int> m;
  grow_beside_shadow(m);
  Key const* before = nullptr;
  for (auto const& v : m) {
    if (before) CHECK_UNARY(*before < v.first);
    before = &v.first;
  }
}

TEST_CASE_TEMPLATE("an unordered map agrees with its threads' shadows", Key, std::uint32_t, std::string) {
  tbb::concurrent_unordered_map<Key, int> m;
  grow_beside_shadow(m);
}

TEST_CASE("a hash map agrees with its threads' shadows") {
  map m;
  std::vector<worker> workers;
  for (int i = 0; i < threads; ++i) workers.push_back({m, i});
  std::vector<std::thread> team;
  for (auto& w : workers) team.emplace_back([&w] { w.run(); });
  for (auto& t : team) t.join();
  std::size_t expected = 0;
  for (auto& w : workers) {
    CHECK(w.errors == 0);
    for (int k = 0; k < own_keys; ++k) {
      int const v = w.shadow[static_cast<std::size_t>(k)];
      map::const_accessor c;
      CHECK_UNARY(m.find(c, name(w.id * own_keys + k)) == (v >= 0));
      if (v >= 0) CHECK_UNARY(c->second == v);
      expected += v >= 0;
    }
  }
  for (int k = 0; k < 8; ++k) expected += m.count("shared" + std::to_string(k));
  CHECK(m.size() == expected);
  std::size_t walked = 0;
  for (auto i = m.begin(); i != m.end(); ++i) ++walked;
  CHECK(walked == expected);
}
