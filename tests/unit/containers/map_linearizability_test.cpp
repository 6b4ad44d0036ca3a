// SPDX-License-Identifier: Apache-2.0
// Short recorded histories of the maps, checked against a sequential map by exhaustive search. Other keys are inserted
// meanwhile, so that the hash tables grow and split the groups that the recorded keys are in.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_unordered_map.h>

#include <doctest/doctest.h>
#include <support/linearizability.h>

#include <map>

namespace {

enum class action { insert, look_up, add, erase };

struct operation {
  action what;
  int key;
  int argument;
  int result;  // insert, erase: done; look_up: the value or -1; add: the old value, -1 if it was inserted
};

struct sequential_map {
  using operation = ::operation;
  std::map<int, int> elements;

  bool apply(operation const& op) {
    auto const at = elements.find(op.key);
    bool const there = at != elements.end();
    int const value = there ? at->second : -1;
    switch (op.what) {
      case action::insert:
        if (!there) elements[op.key] = op.argument;
        return op.result == !there;
      case action::look_up:
        return op.result == value;
      case action::add:
        elements[op.key] = there ? value + op.argument : op.argument;
        return op.result == value;
      case action::erase:
        if (there) elements.erase(at);
        return op.result == there;
    }
    return false;
  }
  friend bool operator<(sequential_map const& a, sequential_map const& b) { return a.elements < b.elements; }
};

using hash_map = tbb::concurrent_hash_map<int, int>;

int perform(hash_map& m, action what, int key, int argument) {
  switch (what) {
    case action::insert:
      return m.insert({key, argument});
    case action::look_up: {
      hash_map::const_accessor a;
      return m.find(a, key) ? a->second : -1;
    }
    case action::add: {
      hash_map::accessor a;
      bool const fresh = m.insert(a, key);
      int const old = fresh ? -1 : a->second;
      a->second += argument;
      return old;
    }
    case action::erase: {
      hash_map::accessor a;
      if (argument % 2) return m.erase(key);
      return m.find(a, key) && m.erase(a);
    }
  }
  return -2;
}
// Elements of these are neither changed nor erased beside others.
template <typename Map>
int perform(Map& m, action what, int key, int argument) {
  if (what == action::insert || what == action::erase) return m.insert({key, argument}).second;
  auto const at = m.find(key);
  return at == m.end() ? -1 : at->second;
}
template <typename Map>
action recorded_as(action what) {
  if constexpr (std::is_same_v<Map, hash_map>) return what;
  return what == action::insert || what == action::erase ? action::insert : action::look_up;
}

template <typename Map>
void check_histories() {
  constexpr unsigned threads = 3;
  for (int round = 0; round < 300; ++round) {
    Map m;
    int other = 1000;
    for (int const last = other + round % 60; other < last; ++other) m.insert({other, 0});
    auto const history = test::record_history<sequential_map>(threads, [&](unsigned thread, auto& record) {
      unsigned dice = thread * 7919u + static_cast<unsigned>(round) * 104729u + 1;
      for (int i = 0; i < 8; ++i) {
        dice = dice * 1664525u + 1013904223u;
        auto const what = static_cast<action>(dice >> 30);
        int const key = static_cast<int>(dice >> 16) % 4;
        int const argument = static_cast<int>(dice >> 8 & 0xff) + 1;
        record([&] { return operation{recorded_as<Map>(what), key, argument, perform(m, what, key, argument)}; });
        for (int k = 0; k < 6; ++k) m.insert({100000 * static_cast<int>(thread + 1) + 10 * i + k, 0});
      }
    });
    REQUIRE_UNARY(test::linearizable<sequential_map>(history));
  }
}

}  // namespace

TEST_CASE("hash map histories are linearizable") { check_histories<hash_map>(); }
TEST_CASE("unordered map histories are linearizable") { check_histories<tbb::concurrent_unordered_map<int, int>>(); }
TEST_CASE("ordered map histories are linearizable") { check_histories<tbb::concurrent_map<int, int>>(); }

// Of multimaps: how many elements with a key have been inserted.
struct sequential_counts {
  using operation = ::operation;
  std::map<int, int> counts;

  bool apply(operation const& op) {
    int& n = counts[op.key];
    if (op.what == action::insert) return ++n, op.result == 1;
    return op.result == n;
  }
  friend bool operator<(sequential_counts const& a, sequential_counts const& b) { return a.counts < b.counts; }
};

template <typename Multimap>
void check_multi_histories() {
  for (int round = 0; round < 200; ++round) {
    Multimap m;
    int other = 1000;
    for (int const last = other + round % 60; other < last; ++other) m.insert({other, 0});
    auto const history = test::record_history<sequential_counts>(3, [&](unsigned thread, auto& record) {
      unsigned dice = thread * 7919u + static_cast<unsigned>(round) * 104729u + 1;
      for (int i = 0; i < 8; ++i) {
        dice = dice * 1664525u + 1013904223u;
        int const key = static_cast<int>(dice >> 16) % 2;
        if (dice >> 31) {
          record([&] { return operation{action::insert, key, i, m.insert({key, i}).second}; });
        } else {
          record([&] { return operation{action::look_up, key, 0, static_cast<int>(m.count(key))}; });
        }
        for (int k = 0; k < 6; ++k) m.insert({100000 * static_cast<int>(thread + 1) + 10 * i + k, 0});
      }
    });
    REQUIRE_UNARY(test::linearizable<sequential_counts>(history));
  }
}

TEST_CASE("unordered multimap histories are linearizable") {
  check_multi_histories<tbb::concurrent_unordered_multimap<int, int>>();
}
TEST_CASE("ordered multimap histories are linearizable") {
  check_multi_histories<tbb::concurrent_multimap<int, int>>();
}

TEST_CASE("the check notices a map that loses an element") {
  using history = std::vector<test::timed_operation<operation>>;
  CHECK(test::linearizable<sequential_map>(history{
      {{action::insert, 1, 5, 1}, 0, 3}, {{action::look_up, 1, 0, -1}, 1, 2}, {{action::erase, 1, 1, 1}, 4, 5}}));
  CHECK_FALSE(test::linearizable<sequential_map>(
      history{{{action::insert, 1, 5, 1}, 0, 1}, {{action::look_up, 1, 0, -1}, 2, 3}}));
  CHECK_FALSE(test::linearizable<sequential_map>(history{
      {{action::insert, 1, 5, 1}, 0, 3}, {{action::look_up, 1, 0, 5}, 1, 2}, {{action::look_up, 1, 0, -1}, 4, 5}}));
}
