// SPDX-License-Identifier: Apache-2.0
// Containers from which elements are taken while nobody else uses them.
#include "cases.h"

#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#if SOAK_OURS
#include <tbb/parallel_clear.h>
#endif

namespace growth {

namespace {

constexpr long live = 1000;

template <typename Map>
void insert_pair(Map& m, long i) {
  m.insert({i, some_text(i)});
}
template <typename Set>
void insert_key(Set& s, long i) {
  s.insert(some_text(i) + std::to_string(i));
}

template <typename Map>
void map_erased(run& r) {
  Map m;
  phases(
      r, live, [&](long i) { insert_pair(m, i); },
      [&](long first, long last) {
        for (long i = first; i < last; ++i) m.unsafe_erase(i);
      });
}
template <typename Set>
void set_erased(run& r) {
  Set s;
  phases(
      r, live, [&](long i) { insert_key(s, i); },
      [&](long, long) {
        while (!s.empty()) s.unsafe_erase(s.begin());
      });
}
template <typename Map>
void map_cleared(run& r) {
  Map m;
  phases(r, live, [&](long i) { insert_pair(m, i); }, [&](long, long) { m.clear(); });
}
// Nodes go out by extraction, into another map.
template <typename Map>
void map_extracted(run& r) {
  Map m;
  phases(
      r, live, [&](long i) { insert_pair(m, i); },
      [&](long first, long last) {
        Map other;
        for (long i = first; i < last; ++i) {
          auto node = m.unsafe_extract(i);
          if (!node.empty()) other.insert(std::move(node));
        }
        m.swap(other);
        m.clear();
      });
}

void vector_cleared(run& r) {
  tbb::concurrent_vector<std::string> v;
  phases(r, live, [&](long i) { v.push_back(some_text(i)); }, [&](long, long) { v.clear(); });
}
void vector_shrunk(run& r) {
  tbb::concurrent_vector<std::string> v;
  phases(
      r, live, [&](long i) { v.grow_by(1 + static_cast<std::size_t>(i % 3), some_text(i)); },
      [&](long, long) {
        v.resize(static_cast<std::size_t>(live / 4));
        v.shrink_to_fit();
        v.clear();
      });
}
#if SOAK_OURS
void vector_cleared_by_all(run& r) {
  tbb::concurrent_vector<std::string> v;
  phases(r, live, [&](long i) { v.push_back(some_text(i)); }, [&](long, long) { tbb::parallel_clear(v); });
}
template <typename Map>
void map_cleared_by_all(run& r) {
  Map m;
  phases(r, live, [&](long i) { insert_pair(m, i); }, [&](long, long) { tbb::parallel_clear(m); });
}
#endif

}  // namespace

void add_phased_containers(table& t) {
  using text = std::string;
  using unordered = tbb::concurrent_unordered_map<long, text>;
  using ordered = tbb::concurrent_map<long, text>;
  t.push_back({"unordered_map", 100'000, map_erased<unordered>});
  t.push_back({"unordered_multimap", 100'000, map_erased<tbb::concurrent_unordered_multimap<long, text>>});
  t.push_back({"ordered_map", 300'000, map_erased<ordered>});
  t.push_back({"ordered_multimap", 300'000, map_erased<tbb::concurrent_multimap<long, text>>});
  t.push_back({"unordered_set", 100'000, set_erased<tbb::concurrent_unordered_set<text>>});
  t.push_back({"unordered_multiset", 100'000, set_erased<tbb::concurrent_unordered_multiset<text>>});
  t.push_back({"ordered_set", 200'000, set_erased<tbb::concurrent_set<text>>});
  t.push_back({"ordered_multiset", 200'000, set_erased<tbb::concurrent_multiset<text>>});
  t.push_back({"unordered_map_cleared", 300'000, map_cleared<unordered>});
  t.push_back({"ordered_map_cleared", 300'000, map_cleared<ordered>});
  t.push_back({"unordered_map_extracted", 100'000, map_extracted<unordered>});
  t.push_back({"ordered_map_extracted", 100'000, map_extracted<ordered>});
  t.push_back({"vector", 300'000, vector_cleared});
  t.push_back({"vector_shrunk", 200'000, vector_shrunk});
#if SOAK_OURS
  t.push_back({"vector_cleared_by_all", 200'000, vector_cleared_by_all});
  t.push_back({"hash_map_cleared_by_all", 200'000, map_cleared_by_all<tbb::concurrent_hash_map<long, text>>});
  t.push_back({"unordered_map_cleared_by_all", 200'000, map_cleared_by_all<unordered>});
  t.push_back({"ordered_map_cleared_by_all", 200'000, map_cleared_by_all<ordered>});
#endif
}

}  // namespace growth
