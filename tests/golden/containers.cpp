// SPDX-License-Identifier: Apache-2.0
// Every public container, per-thread storage and lock, used by one thread, for the long form of tools/golden.py. Where
// a row needs elements, there are 1024 of them from the start on, so that both sizes see the same container.
#include <tbb/combinable.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_lru_cache.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/mutex.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/recursive_mutex.h>
#include <tbb/rw_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>

#include "rows.h"

namespace {

using golden::sink;
constexpr long kept = 1024;

template <typename Container>
struct filled : Container {
  filled() {
    for (long i = 0; i < kept; ++i) this->insert({i, i});
  }
};
template <typename Set>
struct filled_set : Set {
  filled_set() {
    for (long i = 0; i < kept; ++i) this->insert(i);
  }
};

void vector_push(long n) {
  tbb::concurrent_vector<long> v;
  for (long i = 0; i < n; ++i) v.push_back(i);
}
void vector_grow(long n) {
  tbb::concurrent_vector<long> v;
  for (long i = 0; i < n; ++i) v.grow_by(8);
}
void vector_read(long n) {
  tbb::concurrent_vector<long> v(kept);
  for (long i = 0; i < n; ++i) sink = v[static_cast<std::size_t>(i % kept)];
}
template <typename Queue>
void queue_pair(long n) {
  Queue q;
  long x = 0;
  for (long i = 0; i < n; ++i) {
    q.push(i);
    if (q.try_pop(x)) sink = x;
  }
}
void priority_pair(long n) {
  tbb::concurrent_priority_queue<long> q;
  for (long i = 0; i < kept; ++i) q.push(i * 37 % kept);
  long x = 0;
  for (long i = 0; i < n; ++i) {
    q.push(i * 37 % kept);
    if (q.try_pop(x)) sink = x;
  }
}
using hash_map = tbb::concurrent_hash_map<long, long>;
void hash_find(long n) {
  filled<hash_map> m;
  for (long i = 0; i < n; ++i) {
    hash_map::const_accessor found;
    if (m.find(found, i % kept)) sink = found->second;
  }
}
void hash_insert_erase(long n) {
  filled<hash_map> m;
  for (long i = 0; i < n; ++i) {
    m.insert({kept + i, i});
    m.erase(kept + i);
  }
}
template <typename Map>
void map_find(long n) {
  filled<Map> m;
  for (long i = 0; i < n; ++i) sink = m.find(i % kept)->second;
}
template <typename Set>
void set_find(long n) {
  filled_set<Set> s;
  for (long i = 0; i < n; ++i) sink = *s.find(i % kept);
}
// Grows: the doublings of a table are part of an insertion.
template <typename Map>
void map_insert(long n) {
  Map m;
  for (long i = 0; i < n; ++i) m.insert({i * 7919, i});
}
template <typename Map>
void map_walk(long n) {
  filled<Map> m;
  auto at = m.begin();
  for (long i = 0; i < n; ++i) {
    sink = at->second;
    if (++at == m.end()) at = m.begin();
  }
}
long made(long key) { return key + 1; }
void lru_cache(long n) {
  tbb::concurrent_lru_cache<long, long> cache(&made, 64);
  for (long i = 0; i < n; ++i) sink = cache[i % 128].value();
}
void thread_specific(long n) {
  tbb::enumerable_thread_specific<long> values;
  for (long i = 0; i < n; ++i) sink = ++values.local();
}
void combinable(long n) {
  tbb::combinable<long> values;
  for (long i = 0; i < n; ++i) sink = ++values.local();
}
template <typename Mutex>
void lock(long n) {
  Mutex m;
  for (long i = 0; i < n; ++i) {
    typename Mutex::scoped_lock const hold(m);
    sink = i;
  }
}
template <typename Mutex>
void read_lock(long n) {
  Mutex m;
  for (long i = 0; i < n; ++i) {
    typename Mutex::scoped_lock const hold(m, false);
    sink = i;
  }
}

golden::row const rows[] = {
    {"vector_push", vector_push},
    {"vector_grow", vector_grow},
    {"vector_read", vector_read},
    {"queue_pair", queue_pair<tbb::concurrent_queue<long>>},
    {"bounded_pair", queue_pair<tbb::concurrent_bounded_queue<long>>},
    {"priority_pair", priority_pair},
    {"hash_find", hash_find},
    {"hash_insert_erase", hash_insert_erase},
    {"hash_insert", map_insert<hash_map>},
    {"unordered_find", map_find<tbb::concurrent_unordered_map<long, long>>},
    {"unordered_insert", map_insert<tbb::concurrent_unordered_map<long, long>>},
    {"unordered_walk", map_walk<tbb::concurrent_unordered_map<long, long>>},
    {"unordered_set_find", set_find<tbb::concurrent_unordered_set<long>>},
    {"map_find", map_find<tbb::concurrent_map<long, long>>},
    {"map_insert", map_insert<tbb::concurrent_map<long, long>>},
    {"map_walk", map_walk<tbb::concurrent_map<long, long>>},
    {"set_find", set_find<tbb::concurrent_set<long>>},
    {"lru_cache", lru_cache},
    {"thread_specific", thread_specific},
    {"combinable", combinable},
    {"mutex", lock<tbb::mutex>},
    {"spin_mutex", lock<tbb::spin_mutex>},
    {"queuing_mutex", lock<tbb::queuing_mutex>},
    {"recursive_mutex", lock<tbb::recursive_mutex>},
    {"rw_mutex", lock<tbb::rw_mutex>},
    {"rw_mutex_read", read_lock<tbb::rw_mutex>},
    {"spin_rw_mutex", lock<tbb::spin_rw_mutex>},
    {"spin_rw_mutex_read", read_lock<tbb::spin_rw_mutex>},
    {"queuing_rw_mutex", lock<tbb::queuing_rw_mutex>},
    {"queuing_rw_mutex_read", read_lock<tbb::queuing_rw_mutex>},
};

}  // namespace

int main(int argc, char** argv) { return golden::main(argc, argv, rows); }
