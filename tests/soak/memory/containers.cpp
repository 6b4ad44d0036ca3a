// SPDX-License-Identifier: Apache-2.0
// Containers from which elements may be taken while others come, and containers that come and go.
#include "cases.h"

#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_lru_cache.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>

namespace growth {

namespace {

constexpr long live = 1000;

template <typename Queue>
void pop_one(Queue& q) {
  typename Queue::value_type x;
  while (!q.try_pop(x)) std::this_thread::yield();
}

void queue(run& r) {
  tbb::concurrent_queue<std::string> q;
  exchange(r, live, [&](long i) { return q.push(some_text(i)), item{0}; }, [&](item) { pop_one(q); });
}
// What lives varies in size from nothing to many segments.
void queue_in_phases(run& r) {
  tbb::concurrent_queue<std::string> q;
  phases(
      r, live, [&](long i) { q.push(some_text(i)); },
      [&](long first, long last) {
        for (long i = first; i < last; ++i) pop_one(q);
      });
}
void queue_cleared(run& r) {
  tbb::concurrent_queue<std::string> q;
  phases(r, live, [&](long i) { q.push(some_text(i)); }, [&](long, long) { q.clear(); });
}
void bounded_queue(run& r) {
  tbb::concurrent_bounded_queue<std::string> q;
  q.set_capacity(2 * live);
  exchange(
      r, live, [&](long i) { return q.push(some_text(i)), item{0}; },
      [&](item) {
        std::string x;
        q.pop(x);
      });
}
// The queue's own limit holds the makers back, and threads sleep in push and pop: an empty text is the end.
void bounded_queue_full(run& r) {
  tbb::concurrent_bounded_queue<std::string> q;
  q.set_capacity(100);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < makers(r.form); ++t) {
    threads.emplace_back([&, t] {
      pace p(r.m);
      for (long i = t; p.step(); ++i) q.push(some_text(i));
      for (unsigned e = 0; e < enders(r.form); ++e) q.push({});
    });
  }
  for (unsigned t = 0; t < enders(r.form); ++t) {
    threads.emplace_back([&] {
      std::string x;
      for (unsigned ends = 0; ends < makers(r.form); ends += x.empty()) q.pop(x);
    });
  }
  for (std::thread& t : threads) t.join();
}
void priority_queue(run& r) {
  tbb::concurrent_priority_queue<std::string> q;
  exchange(
      r, live, [&](long i) { return q.push(some_text(static_cast<long>(mixed(i, 0, 200)))), item{0}; },
      [&](item) { pop_one(q); });
}

using hash_map = tbb::concurrent_hash_map<long, std::string>;

void hash_map_by_key(run& r) {
  hash_map h;
  exchange(
      r, live, [&](long i) { return h.insert({i, some_text(i)}), static_cast<item>(i); },
      [&](item x) {
        if (!h.erase(static_cast<long>(x))) std::abort();
      });
}
void hash_map_by_accessor(run& r) {
  hash_map h;
  exchange(
      r, live,
      [&](long i) {
        hash_map::accessor a;
        h.insert(a, i);
        a->second = some_text(i);
        return static_cast<item>(i);
      },
      [&](item x) {
        hash_map::accessor a;
        if (!h.find(a, static_cast<long>(x)) || !h.erase(a)) std::abort();
      });
}
void hash_map_cleared(run& r) {
  hash_map h;
  phases(r, live, [&](long i) { h.emplace(i, some_text(i)); }, [&](long, long) { h.clear(); });
}
void hash_map_in_phases(run& r) {
  hash_map h;
  phases(
      r, live, [&](long i) { h.emplace(i, some_text(i)); },
      [&](long first, long last) {
        for (long i = first; i < last; ++i) h.erase(i);
      });
}
void hash_map_in_short_threads(run& r) {
  hash_map h;
  std::atomic<long> begun{0};
  short_threads(r, [&](long) {
    long const mine = begun++;
    for (long k = 0; k < 100; ++k) h.emplace(mine * 100 + k, some_text(k));
    for (long k = 0; k < 100; ++k) h.erase((mine - many) * 100 + k);
  });
}

void lru_cache(run& r) {
  using cache = tbb::concurrent_lru_cache<long, std::string, std::string (*)(long)>;
  cache c(&some_text, 200);
  exchange_objects(r, 100, [&](long i) { return new cache::handle(c[i]); }, [](cache::handle&) {});
}
void lru_cache_of_few(run& r) {
  using cache = tbb::concurrent_lru_cache<long, std::string, std::string (*)(long)>;
  cache c(&some_text, 50);
  exchange_objects(
      r, 20, [&](long i) { return new cache::handle(c[static_cast<long>(mixed(i, 0, 100))]); }, [](cache::handle&) {});
}

// A container that one thread makes and fills, and another ends.
template <typename Container, typename Fill>
auto come_and_go(Fill fill) {
  return [=](run& r) {
    exchange_objects(
        r, 50,
        [&](long i) {
          auto* const c = new Container;
          for (long k = 0; k < 20; ++k) fill(*c, i + k);
          return c;
        },
        [&](Container& c) { fill(c, -1); });
  };
}

template <typename Map>
auto maps() {
  return come_and_go<Map>([](Map& m, long i) { m.insert({i, some_text(i + 1)}); });
}
template <typename Set>
auto sets() {
  return come_and_go<Set>([](Set& s, long i) { s.insert(i); });
}
template <typename Queue>
auto queues() {
  return come_and_go<Queue>([](Queue& q, long i) { q.push(some_text(i + 1)); });
}

}  // namespace

void add_containers(table& t) {
  t.push_back({"queue", 500'000, queue});
  t.push_back({"queue_phases", 300'000, queue_in_phases});
  t.push_back({"queue_cleared", 300'000, queue_cleared});
  t.push_back({"bounded_queue", 500'000, bounded_queue});
  t.push_back({"bounded_queue_full", 300'000, bounded_queue_full});
  t.push_back({"priority_queue", 200'000, priority_queue});
  t.push_back({"hash_map", 300'000, hash_map_by_key});
  t.push_back({"hash_map_accessor", 300'000, hash_map_by_accessor});
  t.push_back({"hash_map_cleared", 300'000, hash_map_cleared});
  t.push_back({"hash_map_phases", 300'000, hash_map_in_phases});
  t.push_back({"hash_map_short_threads", 2000, hash_map_in_short_threads});
  t.push_back({"lru_cache", 100'000, lru_cache});
  t.push_back({"lru_cache_of_few", 100'000, lru_cache_of_few});
  t.push_back({"hash_maps", 10'000, maps<hash_map>()});
  t.push_back({"unordered_maps", 10'000, maps<tbb::concurrent_unordered_map<long, std::string>>()});
  t.push_back({"ordered_maps", 5000, maps<tbb::concurrent_map<long, std::string>>()});
  t.push_back({"unordered_sets", 10'000, sets<tbb::concurrent_unordered_set<long>>()});
  t.push_back({"ordered_sets", 10'000, sets<tbb::concurrent_set<long>>()});
  t.push_back({"queues", 5000, queues<tbb::concurrent_queue<std::string>>()});
  t.push_back({"bounded_queues", 5000, queues<tbb::concurrent_bounded_queue<std::string>>()});
  t.push_back({"priority_queues", 10'000, queues<tbb::concurrent_priority_queue<std::string>>()});
  using vector = tbb::concurrent_vector<std::string>;
  t.push_back({"vectors", 10'000, come_and_go<vector>([](vector& v, long i) { v.push_back(some_text(i + 1)); })});
}

}  // namespace growth
