// SPDX-License-Identifier: Apache-2.0
// concurrent_priority_queue, concurrent_lru_cache and the aggregators beside shadows that know what must come out.
// Oversubscribed on purpose.
#include <tbb/concurrent_priority_queue.h>

#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#define TBB_PREVIEW_AGGREGATOR 1
#include <tbb/aggregator.h>
#include <tbb/concurrent_lru_cache.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <queue>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

constexpr unsigned threads = 8;

template <typename Body>
void run_team(Body const& body) {
  std::vector<std::thread> team;
  for (unsigned t = 0; t != threads; ++t) team.emplace_back([&body, t] { body(t); });
  for (std::thread& member : team) member.join();
}

struct dice {
  unsigned state;
  unsigned operator()() { return (state = state * 1664525u + 1013904223u) >> 8; }
};

// Moves only, and tells when it is used after it has been moved from.
struct item {
  explicit item(long k = -1) : key(std::make_unique<long>(k)) {}
  friend bool operator<(item const& a, item const& b) { return *a.key < *b.key; }
  std::unique_ptr<long> key;
};

TEST_CASE("concurrent_priority_queue: every element comes out once, and what is left comes in order") {
  constexpr long each = 4000;
  for (int round = 0; round != 5; ++round) {
    tbb::concurrent_priority_queue<item> q;
    std::vector<std::vector<long>> taken(threads);
    run_team([&](unsigned t) {
      dice d{t + 1};
      for (long i = 0; i != each; ++i) {
        // Bursts, so that the queue grows over segments and shrinks again.
        q.push(item((static_cast<long>(d() % 1000) * each + i) * threads + t));
        item out;
        if ((i / 500) % 2 == 1 && q.try_pop(out)) taken[t].push_back(*out.key);
      }
    });
    std::vector<char> seen(1000 * each * threads, 0);
    std::size_t count = 0;
    long const none = static_cast<long>(seen.size());
    auto const note = [&](long key) {
      REQUIRE(seen[static_cast<std::size_t>(key)] == 0);
      seen[static_cast<std::size_t>(key)] = 1;
      ++count;
    };
    for (auto const& list : taken) {
      for (long const key : list) note(key);
    }
    long last = none;
    for (item out; q.try_pop(out);) {
      REQUIRE(*out.key < last);
      last = *out.key;
      note(last);
    }
    REQUIRE(count == threads * each);
    REQUIRE(q.empty());
  }
}

// One thread against std::priority_queue, through growth, shrinking and copies.
TEST_CASE("concurrent_priority_queue: as std::priority_queue over a long random history") {
  tbb::concurrent_priority_queue<unsigned> q;
  std::priority_queue<unsigned> shadow;
  dice d{7};
  for (int i = 0; i != 200'000; ++i) {
    if (d() % 100 < ((i / 20'000) % 2 == 0 ? 70u : 35u)) {
      unsigned const x = d() % 5000;
      q.push(x);
      shadow.push(x);
    } else {
      unsigned out = 0;
      REQUIRE(q.try_pop(out) == !shadow.empty());
      if (!shadow.empty()) {
        REQUIRE(out == shadow.top());
        shadow.pop();
      }
    }
    if (i % 50'000 == 49'999) {
      tbb::concurrent_priority_queue<unsigned> copy(q);
      q = std::move(copy);
    }
    REQUIRE(q.size() == shadow.size());
  }
}

// A value counts the objects of its key: handles always see a live one, and those of one key the same one. A value that
// has left the cache may still be on its way out when its key gets the next one.
constexpr int keys = 24;
struct census {
  std::atomic<int> alive[keys];
  std::atomic<int> made{0};
  std::atomic<int> errors{0};
} people;

struct value {
  explicit value(int k) : key(k) {
    ++people.alive[k];
    ++people.made;
  }
  value(value const&) = delete;
  ~value() { --people.alive[key]; }
  int key;
};
struct shared_value {
  std::unique_ptr<value> v;
};
shared_value make(int key) {
  if (people.made.load() % 97 == 96) {
    ++people.made;
    throw std::runtime_error("no value");
  }
  return {std::make_unique<value>(key)};
}

TEST_CASE("concurrent_lru_cache: one value for all handles of a key, alive as long as they, bounded history") {
  {
    using cache = tbb::concurrent_lru_cache<int, shared_value>;
    constexpr int history = 6;
    cache c(make, history);
    std::atomic<int> failures{0};
    run_team([&](unsigned t) {
      dice d{t + 11};
      std::vector<cache::handle> held;
      for (int i = 0; i != 4000; ++i) {
        int const key = static_cast<int>(d() % keys);
        try {
          cache::handle h = c[key];
          value const* const mine = h.value().v.get();
          people.errors += mine->key != key || people.alive[key].load() < 1;
          for (cache::handle& other : held) {
            value const* const theirs = other.value().v.get();
            people.errors += theirs->key == key && theirs != mine;
          }
          if (d() % 4 == 0) held.push_back(std::move(h));
        } catch (std::runtime_error const&) {
          ++failures;
        }
        for (cache::handle& h : held) people.errors += people.alive[h.value().v->key].load() < 1;
        if (held.size() > 3) held.erase(held.begin());
      }
    });
    CHECK(failures > 0);
    int alive = 0;
    for (auto const& n : people.alive) alive += n.load();
    CHECK(alive == history);  // every key was used, no handle is left
  }
  CHECK(people.errors == 0);
  for (auto const& n : people.alive) CHECK(n == 0);
}

// The k-th operation of a thread adds to a plain sum; the reply is the sum before it.
struct addition : tbb::aggregator_operation {
  long amount = 0;
  long before = 0;
};
struct summing {
  long* sum;
  std::atomic<int>* inside;
  std::atomic<int>* errors;
  void operator()(tbb::aggregator_operation* list) const {
    *errors += inside->fetch_add(1) != 0;
    while (list != nullptr) {
      auto* const a = static_cast<addition*>(list);
      list = list->next();  // after finish() the operation may be gone
      a->start();
      a->before = *sum;
      *sum += a->amount;
      a->finish();
    }
    --*inside;
  }
};

TEST_CASE("aggregators: operations run one at a time, each once, and its owner sees the effect") {
  constexpr long each = 5000;
  long sum = 0;
  std::atomic<int> inside{0};
  std::atomic<int> errors{0};
  tbb::aggregator_ext<summing> served(summing{&sum, &inside, &errors});
  tbb::aggregator plain;
  long plain_sum = 0;
  std::vector<std::vector<long>> before(threads);
  run_team([&](unsigned t) {
    for (long i = 0; i != each; ++i) {
      addition a;
      a.amount = 1;
      served.process(&a);
      if (!before[t].empty() && a.before <= before[t].back()) ++errors;
      before[t].push_back(a.before);
      plain.execute([&] { ++plain_sum; });
    }
  });
  CHECK(errors == 0);
  CHECK(sum == threads * each);
  CHECK(plain_sum == threads * each);
  std::vector<long> all;
  for (auto const& list : before) all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end());
  long expected = 0;
  for (long const b : all) {
    REQUIRE(b == expected);
    ++expected;
  }
}

}  // namespace
