// SPDX-License-Identifier: Apache-2.0
// Rows CONTAINER/KEY/OPERATION. Containers: hash (concurrent_hash_map, with accessors), unordered, ordered; the floors
// bare and locked, in which no library does anything (floor_table.h). Keys: int (a bijective scramble of 0..n), string
// ("key-" and 16 hexadecimal digits). A sample is one pass over n keys, divided among the threads of a pinned team; the
// map grows from empty, without reserve. "memory" is the growth of the resident set by n elements.
#include <bench/pinned_team.h>
#include <bench/sampler.h>

#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_unordered_map.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "floor_table.h"

namespace {

std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void make_key(std::uint64_t i, std::uint64_t& key) { key = scramble(i); }
void make_key(std::uint64_t i, std::string& key) {
  char text[24];
  std::snprintf(text, sizeof text, "key-%016llx", static_cast<unsigned long long>(scramble(i)));
  key = text;
}

template <typename Key>
struct hash {
  using map = tbb::concurrent_hash_map<Key, std::int64_t>;
  map m;
  bool insert(Key const& k) {
    typename map::accessor a;
    bool const fresh = m.insert(a, k);
    a->second = 1;
    return fresh;
  }
  bool find(Key const& k) const {
    typename map::const_accessor a;
    return m.find(a, k) && a->second == 1;
  }
  bool erase(Key const& k) { return m.erase(k); }
};
template <typename Map, typename Key>
struct plain {
  Map m;
  bool insert(Key const& k) { return m.insert({k, 1}).second; }
  bool find(Key const& k) const {
    auto const i = m.find(k);
    return i != m.end() && i->second == 1;
  }
  bool erase(Key const&) { return false; }
};
template <typename Key>
struct tree : plain<std::map<Key, std::int64_t>, Key> {
  std::mutex inserting;
  bool insert(Key const& k) {
    std::lock_guard<std::mutex> const own(inserting);
    return this->m.insert({k, 1}).second;
  }
};
template <typename Key>
using bare = bench::floor_table<Key, false>;
template <typename Key>
using locked = bench::floor_table<Key, true>;
template <typename Key>
using unordered = plain<tbb::concurrent_unordered_map<Key, std::int64_t>, Key>;
template <typename Key>
using ordered = plain<tbb::concurrent_map<Key, std::int64_t>, Key>;

// Wall and processor seconds of f(thread, first, last) over [0, n) cut among the team, warm before.
template <typename F>
bench::timing run(bench::pinned_team& team, std::size_t count, std::size_t n, F f) {
  team.run([](int) {
    double const warm = bench::wall_now() + 0.02;
    while (bench::wall_now() < warm) {
    }
  });
  double const c0 = bench::cpu_now();
  double const w0 = bench::wall_now();
  team.run([&](int i) {
    auto const t = static_cast<std::size_t>(i);
    f(t, n * t / count, n * (t + 1) / count);
  });
  double const w1 = bench::wall_now();
  return {w1 - w0, bench::cpu_now() - c0};
}

template <typename Map>
auto sum_of(Map const& map) -> decltype(map.m.begin(), std::int64_t()) {
  std::int64_t sum = 0;
  for (auto const& v : map.m) sum += v.second;
  return sum;
}
template <typename Key, bool Locks>
std::int64_t sum_of(bench::floor_table<Key, Locks> const&) {
  bench::usage("a floor is not walked", "iterate");
}

double resident_bytes() {
  long pages = 0;
  if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%*d %ld", &pages) != 1) pages = 0;
    std::fclose(f);
  }
  return static_cast<double>(pages) * 4096;
}

template <typename Map, typename Key>
class measurement {
 public:
  measurement(bench::options const& o, char const* operation)
      : options_(o),
        operation_(operation),
        team_(o.threads),
        n_(o.size ? static_cast<std::size_t>(o.size) : 1000000),
        keys_(2 * n_),
        lookups_(n_) {
    for (std::size_t i = 0; i < keys_.size(); ++i) make_key(i, keys_[i]);
    for (std::size_t i = 0; i < n_; ++i) make_key((i * 7919 + 13) % n_, lookups_[i]);
  }

  int result() {
    bench::report r(options_, is("memory") ? "bytes" : "ns/op");
    if (options_.count) {
      r.ops(static_cast<double>(n_));
      auto work = [this] { right_ = right_ && pass().wall >= 0; };
      work();
    } else {
      for (int good = 0, taken = 0; good < options_.samples && taken < 3 * options_.samples; ++taken) {
        bench::timing const t = pass();
        double const cores = t.cpu / t.wall;
        if (!is("memory") && cores < options_.cores_min) {
          r.discard();
          continue;
        }
        ++good;
        r.add({is("memory") ? t.wall / static_cast<double>(n_) : t.wall / operations_ * 1e9, cores});
      }
    }
    r.check(right_, operation_);
    return r.finish();
  }

 private:
  std::size_t threads() const { return static_cast<std::size_t>(options_.threads); }
  bool is(char const* operation) const { return std::strcmp(operation_, operation) == 0; }
  template <typename Operation>
  bench::timing all(Map& map, std::size_t n, Operation operation) {
    operations_ = static_cast<double>(n);
    std::atomic<std::size_t> successes{0};
    bench::timing const t = run(team_, threads(), n, [&](std::size_t, std::size_t first, std::size_t last) {
      std::size_t mine = 0;
      for (std::size_t i = first; i < last; ++i) mine += operation(map, i) ? 1 : 0;
      successes.fetch_add(mine);
    });
    successes_ = successes.load();
    return t;
  }
  bench::timing pass() {
    auto const map = std::make_unique<Map>();
    double const before = resident_bytes();
    auto const insert = [this](Map& m, std::size_t i) { return m.insert(keys_[i]); };
    bench::timing t = all(*map, n_, insert);
    expect(n_);
    if (is("insert")) return t;
    if (is("memory")) return {resident_bytes() - before, 1};
    if (is("find")) {
      t = all(*map, n_, [this](Map& m, std::size_t i) { return m.find(lookups_[i]); });
      expect(n_);
    } else if (is("hot")) {
      t = all(*map, 4 * n_, [this](Map& m, std::size_t) { return m.find(keys_[7]); });
      expect(4 * n_);
    } else if (is("mix")) {
      t = all(*map, n_,
              [this](Map& m, std::size_t i) { return i % 20 == 0 ? m.insert(keys_[n_ + i]) : m.find(lookups_[i]); });
      expect(n_);
    } else if (is("erase")) {
      t = all(*map, n_, [this](Map& m, std::size_t i) { return m.erase(lookups_[i]); });
      expect(n_);
    } else if (is("iterate")) {
      std::atomic<std::int64_t> sum{0};
      t = run(team_, threads(), n_, [&](std::size_t thread, std::size_t, std::size_t) {
        std::int64_t mine = 0;
        if (thread == 0) {
          mine = sum_of(*map);
        }
        sum.fetch_add(mine);
      });
      right_ = right_ && sum.load() == static_cast<std::int64_t>(n_);
    } else {
      bench::usage("unknown operation", operation_);
    }
    return t;
  }
  void expect(std::size_t successes) { right_ = right_ && successes_ == successes; }

  bench::options options_;
  char const* operation_;
  bench::pinned_team team_;
  std::size_t n_;
  std::vector<Key> keys_;
  std::vector<Key> lookups_;  // the first n of them in another order than that of insertion
  double operations_ = 1;
  std::size_t successes_ = 0;
  bool right_ = true;
};

template <template <typename> class Map>
int measure(bench::options const& o, char const* key_and_operation) {
  char const* const operation = std::strchr(key_and_operation, '/') + 1;
  if (key_and_operation[0] == 'i') return measurement<Map<std::uint64_t>, std::uint64_t>(o, operation).result();
  return measurement<Map<std::string>, std::string>(o, operation).result();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  char const* const rest = std::strchr(o.row, '/');
  if (rest == nullptr || !std::strchr(rest + 1, '/')) bench::usage("rows are CONTAINER/KEY/OPERATION, not", o.row);
  if (o.row[0] == 'h') return measure<hash>(o, rest + 1);
  if (o.row[0] == 'u') return measure<unordered>(o, rest + 1);
  if (o.row[0] == 'l') return measure<locked>(o, rest + 1);
  if (o.row[0] == 't') return measure<tree>(o, rest + 1);
  if (o.row[0] == 'b') return measure<bare>(o, rest + 1);
  return measure<ordered>(o, rest + 1);
}
