// SPDX-License-Identifier: Apache-2.0
// Containers beside containers of the standard library, over random operations. Keys are strings; comparisons and hash
// functions are transparent and now and then throw; allocators count, and those of two containers may be unequal.
// ASHLAR_TEST_OPERATIONS is the number of operations on each container.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <map>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "differential.h"

namespace {

struct less {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return may_throw(), a < b; }
};
struct equal {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return may_throw(), a == b; }
};
struct hash {
  using transparent_key_equal = equal;
  std::size_t operator()(std::string_view s) const { return may_throw(), std::hash<std::string_view>()(s) % 4096; }
};
struct hash_compare {
  using is_transparent = void;
  std::size_t hash(std::string_view s) const { return ::hash()(s); }
  bool equal(std::string_view a, std::string_view b) const { return ::equal()(a, b); }
};

using text = std::string;
using pair_memory = memory<std::pair<text const, int>>;
using ordered_map = tbb::concurrent_map<text, int, less, pair_memory>;
using ordered_multimap = tbb::concurrent_multimap<text, int, less, pair_memory>;
using ordered_set = tbb::concurrent_set<text, less, memory<text>>;
using ordered_multiset = tbb::concurrent_multiset<text, less, memory<text>>;
using unordered_map = tbb::concurrent_unordered_map<text, int, hash, std::equal_to<text>, pair_memory>;
using unordered_multimap = tbb::concurrent_unordered_multimap<text, int, hash, std::equal_to<text>, pair_memory>;
using unordered_set = tbb::concurrent_unordered_set<text, hash, std::equal_to<text>, memory<text>>;
using unordered_multiset = tbb::concurrent_unordered_multiset<text, hash, std::equal_to<text>, memory<text>>;

template <typename C>
constexpr bool multi = std::is_same_v<C, ordered_multimap> || std::is_same_v<C, ordered_multiset> ||
                       std::is_same_v<C, unordered_multimap> || std::is_same_v<C, unordered_multiset>;
template <typename C>
constexpr bool ordered = std::is_same_v<C, ordered_map> || std::is_same_v<C, ordered_multimap> ||
                         std::is_same_v<C, ordered_set> || std::is_same_v<C, ordered_multiset>;
template <typename C>
constexpr bool is_map = !std::is_same_v<typename C::value_type, text>;

text key_of(text const& t) { return t; }
text key_of(std::pair<text const, int> const& v) { return v.first; }
int number_of(text const&) { return 0; }
int number_of(std::pair<text const, int> const& v) { return v.second; }
text make_key(unsigned n) { return "a key that no short string holds " + std::to_string(n); }

using shadow = std::multimap<text, int>;
// One element of the shadow less.
bool forget(shadow& s, text const& key, int number) {
  auto const r = s.equal_range(key);
  for (auto i = r.first; i != r.second; ++i) {
    if (i->second == number) return s.erase(i), true;
  }
  return false;
}

template <typename C>
struct pair_of {
  C mine;
  shadow expected;
};

// Walks the leaves of the container's range, too.
template <typename Range, typename F>
void leaves(Range r, F const& f) {
  if (!r.is_divisible()) return f(r);
  Range second(r, tbb::split());
  leaves(r, f);
  leaves(second, f);
}
template <typename C>
void check_whole(pair_of<C>& p) {
  shadow left = p.expected;
  text before;
  std::size_t walked = 0;
  for (auto const& v : p.mine) {
    REQUIRE(forget(left, key_of(v), number_of(v)));
    if (ordered<C> && walked++ != 0) REQUIRE((multi<C> ? before <= key_of(v) : before < key_of(v)));
    before = key_of(v);
  }
  REQUIRE(left.empty());
  REQUIRE(p.mine.size() == p.expected.size());
  auto at = p.mine.begin();
  bool good = true;
  leaves(p.mine.range(), [&](auto const& r) {
    for (auto i = r.begin(); i != r.end() && good; ++i, ++at) good = i == at;
  });
  REQUIRE((good && at == p.mine.end()));
}

template <typename C>
class differences {
 public:
  explicit differences(std::uint64_t seed) : random_{seed} {}

  void run(long steps) {
    for (long i = 0; i < steps; ++i) {
      auto& p = sides_[random_(2)];
      key_ = make_key(random_(random_(8) == 0 ? 1000 : 40));
      number_ = is_map<C> ? static_cast<int>(random_(4)) : 0;
      unsigned const operation = random_(64);
      bool const throws = operation < 24 && random_(16) == 0;
      fuse = throws ? static_cast<long>(random_(12)) : -1;
      try {
        operation < 24 ? insert(p, operation % 8) : operation < 44 ? look(p, operation % 3) : change(p, operation % 20);
        fuse = -1;
      } catch (std::runtime_error&) {
        fuse = -1;
        check_whole(p);
      }
      REQUIRE(p.mine.size() == p.expected.size());
      if (p.expected.size() > 400) clear(p);
      if (i % 256 == 0) check_whole(p);
    }
  }

 private:
  using value = typename C::value_type;
  value made() const {
    if constexpr (is_map<C>) {
      return value(key_, number_);
    } else {
      return key_;
    }
  }
  void clear(pair_of<C>& p) {
    p.mine.clear();
    p.expected.clear();
  }
  void inserted(pair_of<C>& p, bool done) {
    bool const expected = multi<C> || p.expected.count(key_) == 0;
    if (done) p.expected.emplace(key_, number_);
    REQUIRE(done == expected);
  }
  void insert(pair_of<C>& p, unsigned way) {
    std::size_t const before = p.mine.size();
    value v = made();
    switch (way) {
      case 0:
        p.mine.insert(v);
        break;
      case 1:
        p.mine.insert(std::move(v));
        break;
      case 2:
        if constexpr (is_map<C>) {
          p.mine.emplace(key_, number_);
        } else {
          p.mine.emplace(key_.c_str());
        }
        break;
      case 3:
        p.mine.emplace_hint(p.mine.begin(), v);
        break;
      case 4:
        p.mine.insert(p.mine.cend(), v);
        break;
      case 5:
        p.mine.insert(p.mine.cbegin(), std::move(v));
        break;
      case 6:
        p.mine.insert(&v, &v + 1);
        break;
      default:
        p.mine.insert({v});
    }
    fuse = -1;
    inserted(p, p.mine.size() != before);
  }
  void look(pair_of<C>& p, unsigned way) {
    std::size_t const count = p.expected.count(key_);
    std::string_view const view = key_;
    if (way == 0) {
      REQUIRE(p.mine.count(key_) == count);
      REQUIRE(p.mine.count(view) == count);
      REQUIRE(p.mine.contains(key_) == (count != 0));
    } else if (way == 1) {
      auto const r = p.mine.equal_range(view);
      shadow left(p.expected.lower_bound(key_), p.expected.upper_bound(key_));
      for (auto i = r.first; i != r.second; ++i) REQUIRE(forget(left, key_of(*i), number_of(*i)));
      REQUIRE(left.empty());
    } else if constexpr (ordered<C>) {
      auto const lower = p.mine.lower_bound(key_), upper = p.mine.upper_bound(view);
      auto const low = p.expected.lower_bound(key_), up = p.expected.upper_bound(key_);
      REQUIRE((low == p.expected.end() ? lower == p.mine.end() : key_of(*lower) == low->first));
      REQUIRE((up == p.expected.end() ? upper == p.mine.end() : key_of(*upper) == up->first));
    } else {
      auto const found = p.mine.find(view);
      REQUIRE((found != p.mine.end()) == (count != 0));
    }
  }
  void erase(pair_of<C>& p, unsigned way) {
    if (way == 0) {
      REQUIRE(p.mine.unsafe_erase(key_) == p.expected.count(key_));
      p.expected.erase(key_);
    } else if (way == 1) {
      REQUIRE(p.mine.unsafe_erase(std::string_view(key_)) == p.expected.count(key_));
      p.expected.erase(key_);
    } else if (auto const found = p.mine.find(key_); found != p.mine.end()) {
      if (way == 2) {
        REQUIRE(forget(p.expected, key_, number_of(*found)));
        p.mine.unsafe_erase(found);
      } else {
        auto last = found;
        for (unsigned n = random_(5); n != 0 && last != p.mine.end(); --n, ++last) {
          REQUIRE(forget(p.expected, key_of(*last), number_of(*last)));
        }
        REQUIRE(p.mine.unsafe_erase(found, last) == last);
      }
    }
  }
  // The node goes to the other container, perhaps with another key.
  void pass_on(pair_of<C>& p, bool by_key) {
    auto& other = &p == &sides_[0] ? sides_[1] : sides_[0];
    if (p.mine.get_allocator() != other.mine.get_allocator()) return;
    auto handle = by_key ? p.mine.unsafe_extract(std::string_view(key_)) : typename C::node_type();
    if (!by_key && p.mine.find(key_) != p.mine.end()) handle = p.mine.unsafe_extract(p.mine.find(key_));
    REQUIRE(handle.empty() == (p.expected.count(key_) == 0));
    if (handle.empty()) return;
    if constexpr (is_map<C>) {
      REQUIRE(handle.key() == key_);
      number_ = handle.mapped();
    } else {
      REQUIRE(handle.value() == key_);
    }
    REQUIRE(forget(p.expected, key_, number_));
    if (random_(2)) {
      key_ = make_key(random_(40));
      if constexpr (is_map<C>) {
        handle.key() = key_;
      } else {
        handle.value() = key_;
      }
    }
    auto const r = other.mine.insert(std::move(handle));
    REQUIRE(handle.empty() == r.second);
    inserted(other, r.second);
  }
  void merge(pair_of<C>& p) {
    auto& other = &p == &sides_[0] ? sides_[1] : sides_[0];
    if (p.mine.get_allocator() != other.mine.get_allocator()) return;
    shadow left;
    for (auto const& v : other.expected) {
      (multi<C> || p.expected.count(v.first) == 0 ? p.expected : left).insert(v);
    }
    p.mine.merge(other.mine);
    // Which one of equal elements goes over is not told.
    other.expected = left;
    check_whole(other);
    check_whole(p);
  }
  void change(pair_of<C>& p, unsigned way) {
    auto& other = &p == &sides_[0] ? sides_[1] : sides_[0];
    bool const same_memory = p.mine.get_allocator() == other.mine.get_allocator();
    if (way < 8) return erase(p, way % 4);
    if (way < 13) return pass_on(p, way % 2);
    if (way == 13) return merge(p);
    if (way == 14) {
      if (same_memory) {
        p.mine.swap(other.mine);
        std::swap(p.expected, other.expected);
      }
    } else if (way == 15) {
      p.mine = other.mine;
      p.expected = other.expected;
    } else if (way == 16) {
      p.mine = std::move(other.mine);
      p.expected = std::move(other.expected);
      clear(other);
    } else if (way == 17) {
      C moved(std::move(other.mine), typename C::allocator_type(static_cast<int>(random_(2))));
      other.mine = moved;
    } else if (way == 18) {
      C const copy(p.mine);
      REQUIRE(copy == p.mine);
      if constexpr (!ordered<C>) p.mine.rehash(random_(200));
    } else {
      p.mine = {made()};
      p.expected = {{key_, number_}};
    }
    check_whole(p);
  }

  using pairs = pair_of<C>;
  dice random_;
  pairs sides_[2] = {pairs{C(typename C::allocator_type(0)), {}},
                     pairs{C(typename C::allocator_type(static_cast<int>(random_(2)))), {}}};
  text key_;
  int number_ = 0;
};

// Threads insert and look, then one takes some out.
template <typename C>
void concurrent_case(std::uint64_t seed, long steps) {
  constexpr unsigned threads = 8;
  pair_of<C> p{C(typename C::allocator_type(1)), {}};
  std::vector<dice> random;
  for (unsigned t = 0; t < threads; ++t) random.push_back({seed * 977 + t + 1});
  for (long done = 0; done < steps;) {
    std::vector<shadow> news(threads);
    std::atomic<int> errors{0};
    std::vector<std::thread> team;
    for (unsigned t = 0; t < threads; ++t) {
      team.emplace_back([&, t] {
        for (int i = 0; i < 60; ++i) {
          text key = make_key(random[t](60));
          int const number = is_map<C> ? static_cast<int>(t) : 0;
          auto const insert = [&] {
            if constexpr (is_map<C>) {
              return i % 2 ? p.mine.emplace(key, number).second : p.mine.insert({key, number}).second;
            } else {
              return i % 2 ? p.mine.emplace(key).second : p.mine.insert(text(key)).second;
            }
          };
          bool const there = p.mine.contains(key);
          bool const in = insert();
          errors += !p.mine.contains(key) || (multi<C> ? !in : there && in);
          if (in) news[t].emplace(std::move(key), number);
        }
      });
    }
    for (auto& t : team) t.join();
    REQUIRE(errors == 0);
    for (auto& n : news) p.expected.merge(n);
    check_whole(p);
    for (int i = 0; i < 40; ++i) {
      text const key = make_key(random[0](60));
      REQUIRE(p.mine.unsafe_erase(key) == p.expected.erase(key));
    }
    check_whole(p);
    done += threads * 60;
  }
}

}  // namespace

#define EACH_CONTAINER                                                                                            \
  ordered_map, ordered_multimap, ordered_set, ordered_multiset, unordered_map, unordered_multimap, unordered_set, \
      unordered_multiset

TEST_CASE_TEMPLATE("maps and sets beside a standard multimap", C, EACH_CONTAINER) {
  long const runs = operations() / 10000 + 1;
  for (long run = 0; run < runs; ++run) {
    differences<C>(static_cast<std::uint64_t>(run * 2 + 12345)).run(operations() / runs);
  }
  CHECK(blocks == 0);
}
TEST_CASE_TEMPLATE("maps and sets beside what their threads inserted", C, EACH_CONTAINER) {
  concurrent_case<C>(7, operations());
  CHECK(blocks == 0);
}
