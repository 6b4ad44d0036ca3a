// SPDX-License-Identifier: Apache-2.0
// concurrent_vector, concurrent_priority_queue and concurrent_hash_map beside containers of the standard library, over
// random operations. ASHLAR_TEST_OPERATIONS is the number of operations on each container.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_vector.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "differential.h"

namespace {

using text = std::string;
text make_text(unsigned n) { return "a text that no short string holds " + std::to_string(n); }

using vector = tbb::concurrent_vector<text, memory<text>>;
struct vectors {
  vector mine;
  std::vector<text> expected;
};
void grow(vectors& v, dice& random, unsigned way) {
  text const t = make_text(random(1000));
  std::size_t const n = random(9);
  std::vector<text> const some(n, t);
  auto const end = static_cast<std::ptrdiff_t>(v.expected.size());
  if (way == 0) {
    v.mine.push_back(t);
    v.expected.push_back(t);
  } else if (way == 1) {
    v.mine.emplace_back(t.c_str());
    v.expected.push_back(t);
  } else if (way == 2) {
    REQUIRE(v.mine.grow_by(n, t) - v.mine.begin() == end);
    v.expected.insert(v.expected.end(), n, t);
  } else if (way == 3) {
    REQUIRE(v.mine.grow_by(some.begin(), some.end()) - v.mine.begin() == end);
    v.expected.insert(v.expected.end(), some.begin(), some.end());
  } else {
    v.mine.grow_to_at_least(v.expected.size() / 2 + 5, t);
    if (v.expected.size() < v.expected.size() / 2 + 5) v.expected.resize(v.expected.size() / 2 + 5, t);
  }
}
void change(vectors& v, vectors& other, dice& random, unsigned way) {
  text const t = make_text(random(1000));
  std::size_t const n = random(60);
  switch (way) {
    case 0:
      v.mine.resize(n, t);
      v.expected.resize(n, t);
      break;
    case 1:
      v.mine.assign(n, t);
      v.expected.assign(n, t);
      break;
    case 2:
      v.mine = other.mine;
      v.expected = other.expected;
      break;
    case 3:
      v.mine = std::move(other.mine);
      v.expected = std::move(other.expected);
      other.mine.clear();
      other.expected.clear();
      break;
    case 4:
      v.mine.shrink_to_fit();
      REQUIRE(v.mine.capacity() >= v.mine.size());
      break;
    case 5:
      v.mine.reserve(n);
      break;
    case 6:
      v.mine = vector(std::move(v.mine), memory<text>(static_cast<int>(random(2))));
      break;
    default:
      v.mine.clear();
      v.expected.clear();
  }
}

struct by_length {
  bool operator()(text const& a, text const& b) const { return may_throw(), a < b; }
};

// False if the user's function has thrown.
template <typename F>
bool succeeds(F const& f) {
  bool done = true;
  try {
    f();
  } catch (std::runtime_error&) {
    done = false;
  }
  fuse = -1;
  return done;
}

struct hash_compare {
  using is_transparent = void;
  std::size_t hash(std::string_view s) const { return may_throw(), std::hash<std::string_view>()(s) % 512; }
  bool equal(std::string_view a, std::string_view b) const { return may_throw(), a == b; }
};
using hash_map = tbb::concurrent_hash_map<text, int, hash_compare, memory<std::pair<text const, int>>>;
using shadow = std::map<text, int>;

void check_same(hash_map const& m, shadow const& expected) {
  REQUIRE(m.size() == expected.size());
  std::size_t n = 0;
  for (auto const& v : m) {
    auto const found = expected.find(v.first);
    REQUIRE((found != expected.end() && found->second == v.second));
    ++n;
  }
  REQUIRE(n == expected.size());
}
// What a way of insertion says. (An exception must not come out of a REQUIRE.)
bool inserts(hash_map& m, text const& key, int number, unsigned way) {
  hash_map::accessor a;
  hash_map::const_accessor c;
  switch (way) {
    case 0:
      return m.insert({key, number});
    case 1:
      return m.insert(a, hash_map::value_type(key, number));
    case 2:
      return m.emplace(c, key, number);
    case 3: {
      bool const fresh = m.insert(a, std::string_view(key));
      if (fresh) a->second = number;
      return fresh;
    }
    default: {
      auto v = std::make_pair(key, number);
      return m.insert(c, std::move(v));
    }
  }
}
bool erases(hash_map& m, text const& key, unsigned way) {
  if (way == 0) return m.erase(key);
  if (way == 1) return m.erase(std::string_view(key));
  hash_map::accessor a;
  if (!static_cast<hash_map const&>(m).find(a, key)) return false;
  bool const done = m.erase(a);
  REQUIRE(done);
  return true;
}
void step(hash_map& m, shadow& expected, dice& random) {
  text key = make_text(random(200));
  int const number = static_cast<int>(random(9));
  bool const there = expected.count(key) != 0;
  unsigned const way = random(12);
  if (way < 5) {
    bool const fresh = inserts(m, key, number, way);
    REQUIRE(fresh != there);
    expected.emplace(std::move(key), number);
  } else if (way < 9) {
    bool const gone = erases(m, key, way % 3);
    REQUIRE(gone == there);
    expected.erase(key);
  } else if (way == 9) {
    hash_map::accessor a;
    bool const found = m.find(a, std::string_view(key));
    REQUIRE(found == there);
    if (there) expected[key] = a->second = number;
  } else if (way == 10) {
    std::size_t const count = m.count(key);
    REQUIRE((count == 1) == there);
  } else if (random(64) == 0) {
    fuse = -1;
    m = hash_map(std::move(m), memory<std::pair<text const, int>>(number % 2));
  }
}

// Copies, assignments, swaps and another number of buckets.
void whole(hash_map& m, shadow const& expected, dice& random) {
  hash_map copy(m);
  REQUIRE(copy == m);
  check_same(copy, expected);
  hash_map assigned{memory<std::pair<text const, int>>(static_cast<int>(random(2)))};
  assigned.insert({make_text(0), 1});
  assigned = m;
  check_same(assigned, expected);
  assigned.rehash(random(4000));
  check_same(assigned, expected);
  m.clear();
  REQUIRE((m.empty() && m.begin() == m.end()));
  m.swap(copy);
  check_same(m, expected);
}

}  // namespace

TEST_CASE("a vector beside a standard one") {
  dice random{4711};
  vectors sides[2] = {{vector(memory<text>(0)), {}}, {vector(memory<text>(1)), {}}};
  for (long i = 0, steps = operations(); i < steps; ++i) {
    unsigned const side = random(2);
    unsigned const way = random(64);
    way < 56 ? grow(sides[side], random, way % 5) : change(sides[side], sides[1 - side], random, way % 8);
    auto& v = sides[side];
    REQUIRE(v.mine.size() == v.expected.size());
    if (i % 16 == 0) {
      REQUIRE(std::equal(v.mine.begin(), v.mine.end(), v.expected.begin(), v.expected.end()));
      if (!v.expected.empty()) REQUIRE((v.mine.back() == v.expected.back() && v.mine.at(0) == v.expected[0]));
    }
  }
}

TEST_CASE("a vector holds what its threads appended, in their order") {
  for (long done = 0; done < operations();) {
    tbb::concurrent_vector<std::pair<unsigned, unsigned>> v;
    std::vector<std::thread> team;
    for (unsigned t = 0; t < 8; ++t) {
      team.emplace_back([&v, t] {
        for (unsigned i = 0; i < 1000; ++i) i % 8 ? (void)v.push_back({t, i}) : (void)v.grow_by(1, {t, i});
      });
    }
    for (auto& t : team) t.join();
    REQUIRE(v.size() == 8000);
    unsigned next[8] = {};
    for (auto const& e : v) REQUIRE(next[e.first]++ == e.second);
    done += 8000;
  }
}

TEST_CASE("a priority queue beside a standard one") {
  dice random{815};
  using queue = tbb::concurrent_priority_queue<text, by_length, memory<text>>;
  queue mine{memory<text>(1)};
  std::priority_queue<text, std::vector<text>, by_length> expected;
  for (long i = 0, steps = operations(); i < steps; ++i) {
    text t = make_text(random(500));
    unsigned const way = random(128);
    fuse = way < 125 && random(16) == 0 ? static_cast<long>(random(8)) : -1;
    if (way < 64) {
      text const added = t;
      bool const done = succeeds([&] {
        way % 3 == 0 ? mine.push(t) : way % 3 == 1 ? mine.push(std::move(t)) : mine.emplace(t.c_str());
      });
      if (done) expected.push(added);
    } else if (way < 125) {
      bool found = false;
      if (!succeeds([&] { found = mine.try_pop(t); })) continue;
      REQUIRE(found == !expected.empty());
      if (expected.empty()) continue;
      REQUIRE(t == expected.top());
      expected.pop();
    } else if (way == 125) {
      queue copy(mine);
      REQUIRE(copy == mine);
      mine = copy;
    } else if (way == 126) {
      mine = queue(std::move(mine), memory<text>(static_cast<int>(random(2))));
    } else if (expected.size() > 200) {
      mine.clear();
      expected = {};
    }
    REQUIRE(mine.size() == expected.size());
  }
}

TEST_CASE("a priority queue gives its threads each element once") {
  for (long done = 0; done < operations(); done += 8000) {
    tbb::concurrent_priority_queue<unsigned> q;
    std::vector<std::atomic<int>> taken(8000);
    std::vector<std::thread> team;
    for (unsigned t = 0; t < 8; ++t) {
      team.emplace_back([&, t] {
        for (unsigned i = 0; i < 1000; ++i) {
          q.push(t * 1000 + i);
          unsigned n;
          if (i % 2 && q.try_pop(n)) ++taken[n];
        }
      });
    }
    for (auto& t : team) t.join();
    unsigned last = 8000, n = 0;
    for (; q.try_pop(n); last = n, ++taken[n]) REQUIRE(n < last);
    REQUIRE(std::all_of(taken.begin(), taken.end(), [](auto const& times) { return times == 1; }));
  }
}

TEST_CASE("a hash map beside a standard map") {
  dice random{99};
  hash_map m{memory<std::pair<text const, int>>(0)};
  shadow expected;
  for (long i = 0, steps = operations(); i < steps; ++i) {
    fuse = random(16) == 0 ? static_cast<long>(random(4)) : -1;
    if (!succeeds([&] { step(m, expected, random); })) check_same(m, expected);
    if (i % 64 == 0) check_same(m, expected);
    if (i % 4096 == 0) whole(m, expected, random);
  }
  check_same(m, expected);
}

TEST_CASE("a hash map beside what its threads know of their keys") {
  hash_map m{memory<std::pair<text const, int>>(0)};
  std::atomic<int> errors{0};
  std::vector<std::thread> team;
  std::vector<shadow> known(8);
  for (unsigned t = 0; t < 8; ++t) {
    team.emplace_back([&, t] {
      dice random{t + 1};
      for (long i = 0, steps = operations() / 8; i < steps; ++i) {
        text const key = make_text(random(50) * 8 + t);
        bool const there = known[t].count(key) != 0;
        hash_map::accessor a;
        if (random(2)) {
          errors += m.insert(a, key) == there;
          a->second = static_cast<int>(i);
          known[t][key] = a->second;
        } else if (random(2)) {
          errors += static_cast<hash_map const&>(m).find(a, key) != there;
          if (there) errors += a->second != known[t][key] || !m.erase(a);
          known[t].erase(key);
        } else {
          errors += m.erase(key) != there;
          known[t].erase(key);
        }
        a.release();  // who holds one element must not wait for another
        hash_map::const_accessor other;
        text const foreign = make_text(random(400));
        if (m.find(other, foreign)) errors += other->first != foreign;
      }
    });
  }
  for (auto& t : team) t.join();
  CHECK(errors == 0);
  shadow all;
  for (auto& k : known) all.merge(k);
  check_same(m, all);
}
