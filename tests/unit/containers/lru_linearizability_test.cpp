// SPDX-License-Identifier: Apache-2.0
// Short recorded histories of concurrent_lru_cache, checked against a sequential cache by exhaustive search: which
// value each handle shows, which lookups made one, and so which values each release has thrown out.
#include <tbb/concurrent_lru_cache.h>

#include <doctest/doctest.h>
#include <support/linearizability.h>

#include <atomic>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t history_length = 1;

enum class action { take, give_back };

struct operation {
  action what;
  int key;
  int value;  // take: the value's number, -1 if the function threw
  bool made;  // take: by this operation
};

struct sequential_cache {
  using operation = ::operation;
  struct entry {
    int value;
    int users;
    friend bool operator<(entry const& a, entry const& b) {
      return std::pair(a.value, a.users) < std::pair(b.value, b.users);
    }
  };
  std::map<int, entry> entries;
  std::vector<int> unused;  // the keys of those without users, the oldest first

  bool apply(operation const& op) {
    auto const at = entries.find(op.key);
    if (op.what == action::take) return take(op, at);
    if (at == entries.end() || at->second.users == 0) return false;
    if (--at->second.users == 0) {
      unused.push_back(op.key);
      if (unused.size() > history_length) {
        entries.erase(unused.front());
        unused.erase(unused.begin());
      }
    }
    return true;
  }
  bool take(operation const& op, std::map<int, entry>::iterator at) {
    if (at == entries.end()) {
      if (op.made) entries[op.key] = {op.value, 1};
      return op.made || op.value == -1;
    }
    if (op.made || at->second.value != op.value) return false;
    if (at->second.users++ == 0) std::erase(unused, op.key);
    return true;
  }
  friend bool operator<(sequential_cache const& a, sequential_cache const& b) {
    return std::pair(a.entries, a.unused) < std::pair(b.entries, b.unused);
  }
};

// Numbers the values that it makes; every third call throws.
struct maker {
  std::atomic<int>* made;
  static inline thread_local int latest = -1;
  int operator()(int) const {
    int const number = made->fetch_add(1);
    std::this_thread::yield();  // others come to wait for the value
    if (number % 3 == 2) throw std::runtime_error("no value");
    return latest = number;
  }
};
using cache = tbb::concurrent_lru_cache<int, int, maker>;

operation taken(cache& c, int key, cache::handle& h) {
  maker::latest = -1;
  try {
    h = c[key];
  } catch (std::runtime_error const&) {
    return {action::take, key, -1, false};
  }
  return {action::take, key, h.value(), maker::latest == h.value()};
}

using history = std::vector<test::timed_operation<operation>>;

}  // namespace

TEST_CASE("concurrent_lru_cache histories are linearizable") {
  int thrown = 0;
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> made{round};
    cache c(maker{&made}, history_length);
    auto const h = test::record_history<sequential_cache>(3, [&](unsigned thread, auto& record) {
      unsigned dice = thread * 7919u + static_cast<unsigned>(round) * 104729u + 1;
      cache::handle held[2];
      int keys[2] = {-1, -1};
      for (int i = 0; i < 6; ++i) {
        dice = dice * 1664525u + 1013904223u;
        unsigned const hand = dice >> 31;
        if (keys[hand] >= 0) {
          record([&] {
            held[hand] = cache::handle();
            return operation{action::give_back, std::exchange(keys[hand], -1), 0, false};
          });
        }
        int const key = static_cast<int>(dice >> 20) % 3;
        record([&] { return taken(c, key, held[hand]); });
        if (held[hand]) keys[hand] = key;
      }
      for (unsigned hand = 0; hand < 2; ++hand) {
        if (keys[hand] < 0) continue;
        record([&] {
          held[hand] = cache::handle();
          return operation{action::give_back, keys[hand], 0, false};
        });
      }
    });
    for (auto const& op : h) thrown += op.what.what == action::take && op.what.value == -1;
    REQUIRE_UNARY(test::linearizable<sequential_cache>(h));
  }
  CHECK(thrown > 100);
}

TEST_CASE("the check notices a cache that forgets, doubles or keeps too much") {
  auto const take = [](int key, int value, bool made) { return operation{action::take, key, value, made}; };
  auto const give = [](int key) { return operation{action::give_back, key, 0, false}; };
  auto const in_order = [](std::vector<operation> const& done) {
    history h;
    for (operation const& op : done) h.push_back({op, 2 * h.size(), 2 * h.size() + 1});
    return test::linearizable<sequential_cache>(h);
  };
  CHECK(in_order({take(1, 0, true), take(1, 0, false), give(1), give(1), take(1, 0, false)}));
  CHECK_FALSE(in_order({take(1, 0, true), take(1, 1, true)}));
  CHECK_FALSE(in_order({take(1, 0, true), give(1), take(1, 1, true)}));
  std::vector<operation> three{take(1, 0, true), give(1), take(2, 1, true), give(2), take(3, 2, true), give(3)};
  three.push_back(take(1, 3, true));
  CHECK(in_order(three));
  three.back() = take(1, 0, false);
  CHECK_FALSE(in_order(three));
}
