// SPDX-License-Identifier: Apache-2.0
// concurrent_hash_map beside a shadow: each thread owns some keys, whose presence and value it knows exactly; all
// threads also insert, count up and erase a few shared keys, and look at the keys of others. Oversubscribed on purpose.
#include <tbb/concurrent_hash_map.h>

#include <doctest/doctest.h>

#include <string>
#include <thread>
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

}  // namespace

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
