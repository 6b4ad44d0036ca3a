// SPDX-License-Identifier: Apache-2.0
#include <tbb/concurrent_hash_map.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "faults.h"

namespace {

struct point {
  int x, y;
};
struct own_key {
  int v;
  friend bool operator==(own_key a, own_key b) { return a.v == b.v; }
};
std::size_t tbb_hasher(own_key k) { return static_cast<std::size_t>(k.v); }

struct text_compare {
  using is_transparent = void;
  std::size_t hash(std::string_view s) const { return std::hash<std::string_view>()(s); }
  bool equal(std::string_view a, std::string_view b) const { return a == b; }
};
// Hands out memory that is marked, and tells where its largest block is.
struct marked_memory {
  static constexpr unsigned char mark = 0xa5;
  unsigned char* largest = nullptr;
  std::size_t bytes = 0;
};
template <typename T>
struct marking_allocator {
  using value_type = T;
  marked_memory* books;
  explicit marking_allocator(marked_memory& b) : books(&b) {}
  template <typename U>
  marking_allocator(marking_allocator<U> const& other) : books(other.books) {}  // NOLINT: implicit
  T* allocate(std::size_t n) {
    std::size_t const bytes = n * sizeof(T);
    void* const p = ::operator new(bytes);
    std::memset(p, marked_memory::mark, bytes);
    if (bytes > books->bytes) *books = {static_cast<unsigned char*>(p), bytes};
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p); }
  friend bool operator==(marking_allocator a, marking_allocator b) { return a.books == b.books; }
  friend bool operator!=(marking_allocator a, marking_allocator b) { return a.books != b.books; }
};

// Every key in the same group.
struct constant_compare {
  std::size_t hash(int) const { return 1; }
  bool equal(int a, int b) const { return a == b; }
};

using int_map = tbb::concurrent_hash_map<int, int>;
static_assert(std::ranges::forward_range<int_map> && std::ranges::forward_range<int_map const> &&
              std::ranges::common_range<int_map> && std::ranges::sized_range<int_map>);

template <typename Map>
std::size_t count_by_iteration(Map const& m) {
  std::size_t n = 0;
  for (auto i = m.begin(); i != m.end(); ++i) ++n;
  return n;
}

}  // namespace

namespace tbb {
template <>
struct tbb_hash_compare<point> {
  static std::size_t hash(point const& p) { return static_cast<std::size_t>(p.x * 31 + p.y); }
  static bool equal(point const& a, point const& b) { return a.x == b.x && a.y == b.y; }
};
}  // namespace tbb

TEST_CASE("hash map: insert, find, erase through accessors") {
  int_map m;
  CHECK(m.empty());
  {
    int_map::accessor a;
    CHECK(a.empty());
    CHECK(m.insert(a, 1));
    CHECK(a->second == 0);
    a->second = 10;
    CHECK_FALSE(a.empty());
  }
  int_map::const_accessor c;
  CHECK_FALSE(m.insert(c, 1));
  CHECK(c->second == 10);
  CHECK(m.insert(c, std::make_pair(2, 20)));
  CHECK((*c).second == 20);
  CHECK_FALSE(m.find(c, 3));
  CHECK(c.empty());
  CHECK(m.insert({3, 30}));
  CHECK_FALSE(m.insert(std::make_pair(3, 31)));
  CHECK(m.emplace(4, 40));
  CHECK_FALSE(m.emplace(4, 41));
  int_map::accessor a;
  CHECK(m.emplace(a, 5, 50));
  CHECK_FALSE(m.emplace(c, 2, 21));
  CHECK(m.erase(a));
  CHECK(a.empty());
  CHECK(m.erase(c));
  CHECK(m.count(2) == 0);
  CHECK(m.count(5) == 0);
  CHECK(m.erase(1));
  CHECK_FALSE(m.erase(1));
  CHECK(m.size() == 2);
}

TEST_CASE("hash map: element types and hash functions") {
  tbb::concurrent_hash_map<int, std::unique_ptr<int>> owners;
  CHECK(owners.emplace(1, std::make_unique<int>(7)));
  CHECK(owners.insert(std::make_pair(2, std::make_unique<int>(8))));
  decltype(owners)::accessor o;
  CHECK(owners.insert(o, 3));
  CHECK_FALSE(o->second);

  struct opaque {
    explicit opaque(int n) : value(n) {}
    opaque(opaque const&) = delete;
    int value;
  };
  tbb::concurrent_hash_map<int, opaque> places;
  CHECK(places.emplace(1, 5));

  tbb::concurrent_hash_map<point, int> points{{{1, 2}, 3}, {{2, 1}, 4}};
  CHECK(points.count({2, 1}) == 1);
  tbb::concurrent_hash_map<own_key, int> own;
  CHECK(own.insert({own_key{5}, 1}));
  CHECK(own.count(own_key{5}) == 1);
  tbb::concurrent_hash_map<std::pair<int, std::string>, int> pairs;
  CHECK(pairs.insert({{1, "a"}, 1}));

  tbb::concurrent_hash_map<std::string, int, text_compare> texts;
  decltype(texts)::accessor t;
  CHECK(texts.insert(t, std::string_view("key")));
  t.release();
  CHECK(texts.count("key") == 1);
  CHECK(texts.find(t, "key"));
  t.release();
  CHECK(texts.erase("key"));

  tbb::concurrent_hash_map<int, int, constant_compare> collisions;
  for (int i = 0; i < 100; ++i) CHECK(collisions.insert({i, i}));
  for (int i = 0; i < 100; i += 2) CHECK(collisions.erase(i));
  for (int i = 0; i < 100; ++i) CHECK(collisions.count(i) == static_cast<std::size_t>(i % 2));
}

TEST_CASE("hash map: constructors, assignment, comparison, guides") {
  std::vector<std::pair<int, int>> const v{{1, 2}, {3, 4}};
  int_map a(v.begin(), v.end());
  int_map b(100, tbb::tbb_hash_compare<int>());
  CHECK(b.bucket_count() >= 100);
  b = {{3, 4}, {1, 2}};
  CHECK(a == b);
  int_map c(a);
  CHECK(c.insert({5, 6}));
  CHECK(c != a);
  int_map d(std::move(c));
  CHECK(d.size() == 3);
  CHECK(c.empty());
  CHECK(c.insert({1, 1}));
  c = d;
  CHECK(c == d);
  c = std::move(a);
  CHECK(c == b);
  swap(c, d);
  CHECK(c.size() == 3);
  c.rehash(10000);
  CHECK(c.bucket_count() >= 10000);
  CHECK(c.size() == 3);
  c.clear();
  CHECK(c.empty());
  CHECK(c.begin() == c.end());
  tbb::concurrent_hash_map guided(v.begin(), v.end());
  static_assert(std::is_same_v<decltype(guided), int_map>);
  tbb::concurrent_hash_map listed({std::pair<int const, int>(1, 2)}, tbb::tbb_hash_compare<int>());
  static_assert(std::is_same_v<decltype(listed), int_map>);
#if !ASHLAR_CLASSIC_DIALECT
  // Its base is the default comparison by oneTBB's other name for it.
  struct derived : tbb::detail::d1::tbb_hash_compare<int> {};
  int_map const sliced({{1, 2}}, derived());
  CHECK(sliced.count(1) == 1);
#endif
}

TEST_CASE("hash map: pointers stay while it grows; iteration and ranges meet all") {
  int_map m;
  CHECK(m.range().empty());
  std::vector<int const*> places;
  for (int i = 0; i < 20000; ++i) {
    int_map::accessor a;
    m.insert(a, i);
    a->second = i;
    places.push_back(&a->second);
  }
  for (int i = 0; i < 20000; ++i) CHECK_UNARY(*places[static_cast<std::size_t>(i)] == i);
  CHECK(count_by_iteration(m) == 20000);
  for (int i = 0; i < 20000; i += 3) m.erase(i);
  std::vector<int_map::const_range_type> parts{static_cast<int_map const&>(m).range(100)};
  std::vector<int> met(20000);
  while (!parts.empty()) {
    auto r = parts.back();
    parts.pop_back();
    if (r.is_divisible()) {
      parts.emplace_back(r, tbb::split());
      parts.push_back(r);
    } else {
      for (auto i = r.begin(); i != r.end(); ++i) ++met[static_cast<std::size_t>(i->first)];
    }
  }
  for (int i = 0; i < 20000; ++i) CHECK_UNARY(met[static_cast<std::size_t>(i)] == (i % 3 ? 1 : 0));
  auto const twins = m.equal_range(1);
  CHECK(twins.first->first == 1);
  CHECK(std::next(twins.first) == twins.second);
  CHECK(m.equal_range(3).first == m.end());
}

TEST_CASE("hash map: iterators and pointers stay good while others insert") {
  int_map m;
  for (int i = 0; i < 100; ++i) m.insert({i, i});
  std::atomic<bool> done{false};
  std::thread other([&] {
    for (int i = 100; i < 30000; ++i) m.insert({i, i});
    done = true;
  });
  auto const kept = m.begin();
  int const first = kept->first;
  int* const place = &kept->second;
  do {
    std::vector<int> met(100);
    for (auto const& v : m) {
      CHECK_UNARY(v.first == v.second);
      if (v.first < 100) ++met[static_cast<std::size_t>(v.first)];
    }
    for (int const n : met) CHECK_UNARY(n == 1);
  } while (!done);
  other.join();
  CHECK(kept->first == first);
  CHECK(&kept->second == place);
  CHECK(count_by_iteration(m) == 30000);
}

TEST_CASE("hash map: sizes that no table can have are hints") {
  std::size_t const most = std::numeric_limits<std::size_t>::max();
  for (std::size_t const wish : {most, most - 1, most / 2 + 1, most / 1024}) {
    int_map m(wish);
    CHECK(m.insert({1, 1}));
    m.rehash(wish);
    CHECK(m.count(1) == 1);
    CHECK(m.bucket_count() < 1000);
  }
}

// One thread has no races, and ThreadSanitizer makes it take 13 s.
TEST_CASE("hash map: the slots that a tag matches" * doctest::skip(ASHLAR_TSAN)) {
  using group = ashlar::containers::hash_group;
  for (std::uint32_t i = 0; i < 200000; ++i) {
    std::uint64_t tags = ashlar::containers::mixed_hash(i) * (i | std::uint64_t{1} << 40);
    if (i % 2 != 0) tags = (tags & 0x0101010101010000) | 0x8080808080800000;  // many equal ones
    std::uint64_t const free = i % 3 == 0 ? std::uint64_t{0xff} << (16 + 8 * (i % 6)) : 0;
    std::uint64_t const control = (((tags | 0x8080808080800000) & ~free) & ~std::uint64_t{0xffff}) | (i & 0xffff);
    std::uint64_t const tag = group::tag_at(control, (i + 1) % 6);
    if (tag == 0) continue;
    std::uint64_t const met = group::matches(control, tag);
    CHECK_UNARY((met & ~group::used(control)) == 0);
    for (std::size_t slot = 0; slot < group::slot_count; ++slot) {
      bool const said = (met >> (8 * slot + 23) & 1) != 0;
      std::uint64_t const difference = group::tag_at(control, slot) ^ tag;
      if (difference != 1) CHECK_UNARY(said == (difference == 0));
    }
  }
}

TEST_CASE("hash map: no insertion pays for a whole doubling") {
  marked_memory books;
  using allocator = marking_allocator<std::pair<int const, int>>;
  tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, allocator> m{allocator(books)};
  int n = 0;
  for (; books.bytes < 500000; ++n) m.insert({n, n});
  std::size_t const buckets = m.bucket_count();
  std::size_t untouched = 0;
  for (std::size_t i = 0; i < books.bytes; ++i) untouched += books.largest[i] == marked_memory::mark;
  CHECK(untouched > books.bytes * 9 / 10);
  int const first = n;
  for (; m.bucket_count() == buckets; ++n) m.insert({n, n});
  CHECK(m.bucket_count() == 2 * buckets);
  CHECK(n - first > 100);
  CHECK(n - first < first / 4);
  for (int i = 0; i < n; ++i) CHECK_UNARY(m.count(i) == 1);
}

TEST_CASE("hash map: a map may end while it doubles") {
  marked_memory books;
  using allocator = marking_allocator<std::pair<int const, int>>;
  auto m =
      std::make_unique<tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, allocator>>(allocator(books));
  int n = 0;
  for (; books.bytes < 100000; ++n) m->insert({n, n});
  auto const copy = *m;
  CHECK(copy == *m);
  m.reset();
  CHECK(copy.size() == static_cast<std::size_t>(n));
}

TEST_CASE("hash map: a failing allocation anywhere changes nothing") {
  using allocator = test::counting_allocator<std::pair<int const, int>>;
  test::account books;
  long const failures = test::fail_everywhere(books.fail_at, books.calls, [&] {
    bool failed = false;
    {
      tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, allocator> m{allocator(books)};
      for (int i = 0; i < 300; ++i) {
        try {
          m.insert({i, i});
        } catch (std::bad_alloc&) {
          failed = true;
          CHECK(m.size() == static_cast<std::size_t>(i));
          CHECK(m.count(i) == 0);
          CHECK(m.insert({i, i}));
        }
      }
      for (int i = 0; i < 300; ++i) CHECK_UNARY(m.count(i) == 1);
      try {
        auto copy(m);
        CHECK(copy == m);
      } catch (std::bad_alloc&) {
        failed = true;
      }
      failed = failed || books.calls > books.fail_at;  // a failed growth is silent
    }
    CHECK(books.blocks == 0);
    return failed;
  });
  CHECK(failures > 10);
}

TEST_CASE("hash map: a failing constructor anywhere changes nothing") {
  long const failures = test::fail_everywhere(test::fragile::fail_at, test::fragile::constructions, [] {
    bool failed = false;
    {
      tbb::concurrent_hash_map<int, test::fragile> m;
      for (int i = 0; i < 20; ++i) {
        try {
          decltype(m)::accessor a;
          if (i % 2) {
            m.insert(a, i);
          } else {
            m.emplace(i, i);
          }
        } catch (std::runtime_error&) {
          failed = true;
          CHECK(m.size() == static_cast<std::size_t>(i));
          CHECK(m.emplace(i, i));
        }
      }
      try {
        auto const copy(m);
        CHECK(copy.size() == 20);
      } catch (std::runtime_error&) {
        failed = true;
      }
    }
    CHECK(test::fragile::alive == 0);
    return failed;
  });
  CHECK(failures >= 40);
}

TEST_CASE("hash map: allocators that differ, and that stay") {
  using allocator = test::counting_allocator<std::pair<int const, int>>;
  using map = tbb::concurrent_hash_map<int, int, tbb::tbb_hash_compare<int>, allocator>;
  test::account one, two;
  {
    map a{allocator(one)};
    for (int i = 0; i < 100; ++i) a.insert({i, i});
    map b(std::move(a), allocator(two));
    CHECK(b.size() == 100);
    CHECK(a.empty());
    CHECK(b.get_allocator() == allocator(two));
    map c(b, allocator(one));
    b = std::move(c);
    CHECK(b.get_allocator() == allocator(two));
    CHECK(b.size() == 100);
  }
  CHECK(one.blocks == 0);
  CHECK(two.blocks == 0);
}

TEST_CASE("hash map: an accessor excludes writers, and erase waits for it") {
  int_map m;
  m.insert({1, 0});
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t) {
    team.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        int_map::accessor a;
        m.insert(a, 1);
        ++a->second;
      }
    });
  }
  for (auto& t : team) t.join();
  int_map::accessor a;
  CHECK(m.find(a, 1));
  CHECK(a->second == 8000);
  // While the element is held, its neighbours are free, and a count of it does not wait.
  CHECK(m.count(1) == 1);
  bool erased = false;
  std::thread eraser([&] { erased = m.erase(1); });
  while (m.count(1) != 0) std::this_thread::yield();
  a->second = 5;
  a.release();
  eraser.join();
  CHECK(erased);
  CHECK(m.empty());
}

TEST_CASE("hash map: visit_all meets what stays, exactly once, beside inserts and erases") {
  int_map m;
  for (int i = 0; i < 1000; ++i) m.insert({i, 0});
  std::thread other([&] {
    for (int i = 1000; i < 4000; ++i) m.insert({i, 0});
    for (int i = 1000; i < 4000; ++i) m.erase(i);
  });
  for (int round = 0; round < 20; ++round) {
    m.visit_all([](int_map::value_type& v) { ++v.second; });
  }
  other.join();
  int rounds = 0;
  static_cast<int_map const&>(m).visit_all([&](int_map::value_type const& v) { rounds += v.second == 20; });
  CHECK(rounds == 1000);
}

// One thread again.
TEST_CASE("hash map: elements stay found through splits at every bit of the hash that matters" *
          doctest::skip(ASHLAR_TSAN)) {
  int_map m;
  for (int i = 0; i < 3000; ++i) m.insert({i, i});
  std::size_t const before = m.bucket_count();
  m.rehash(std::size_t{4} << 20);  // beyond the bits of the hash that lie beside the addresses
  CHECK(m.bucket_count() > 64 * before);
  for (int i = 0; i < 3000; ++i) {
    int_map::const_accessor a;
    CHECK_UNARY(m.find(a, i));
    CHECK_UNARY(a->second == i);
  }
  for (int i = 3000; i < 6000; ++i) CHECK_UNARY(m.insert({i, i}));
  for (int i = 0; i < 6000; ++i) CHECK_UNARY(m.erase(i));
  CHECK(m.empty());
  CHECK(count_by_iteration(m) == 0);
}

TEST_CASE("hash map: what knows an accessor as a const_accessor fills it for reading") {
  int_map m;
  m.insert({1, 2});
  int_map const& constant = m;
  int_map::accessor a, b;
  CHECK(constant.find(a, 1));
  CHECK(constant.find(b, 1));
  b.release();
  int_map::const_accessor& known = b;
  CHECK_FALSE(m.insert(known, 1));
  b.release();
  CHECK_FALSE(m.emplace(known, 1, 3));
  b.release();
  a.release();
  for (int round = 0; round < 50; ++round) {
    m.insert({1, 2});
    std::atomic<int> holders{0}, erased{0};
    std::vector<std::thread> team;
    for (int t = 0; t < 4; ++t) {
      team.emplace_back([&] {
        int_map::accessor mine;
        constant.find(mine, 1);
        for (++holders; holders < 4;) std::this_thread::yield();
        erased += m.erase(mine);
      });
    }
    for (auto& t : team) t.join();
    CHECK(erased == 1);
    CHECK(m.empty());
  }
}
