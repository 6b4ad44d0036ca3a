// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <list>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<int> numbers(std::size_t n, unsigned pattern) {
  std::vector<int> v(n);
  std::mt19937 dice(n + pattern);
  for (std::size_t i = 0; i < n; ++i) {
    int const at = static_cast<int>(i);
    int const size = static_cast<int>(n);
    switch (pattern) {
      case 0:
        v[i] = static_cast<int>(dice());
        break;
      case 1:
        v[i] = at;
        break;
      case 2:
        v[i] = size - at;
        break;
      case 3:
        v[i] = static_cast<int>(dice() % 16);
        break;
      case 4:
        v[i] = 7;
        break;
      case 5:
        v[i] = at < size / 2 ? at : size - at;
        break;
      case 6:
        v[i] = at % 100;
        break;
      default:
        v[i] = at == size / 2 ? -1 : at;
        break;
    }
  }
  return v;
}

template <typename T, typename Make>
void check_type(Make make) {
  for (std::size_t n : {0u, 1u, 2u, 3u, 30u, 1000u, 20000u}) {
    for (unsigned pattern = 0; pattern < 8; ++pattern) {
      std::vector<T> v;
      for (int i : numbers(n, pattern)) v.push_back(make(i));
      std::vector<T> expected = v;
      std::sort(expected.begin(), expected.end());
      tbb::parallel_sort(v.begin(), v.end());
      CHECK(v == expected);
    }
  }
}

// An adversary (McIlroy 1999): decides the order while the sort asks, so that every pivot is as bad as can be.
struct adversary {
  std::vector<int>& value;
  int& solid;
  int& candidate;
  long& comparisons;
  bool operator()(int a, int b) const {
    ++comparisons;
    int const gas = static_cast<int>(value.size());
    auto& va = value[static_cast<std::size_t>(a)];
    auto& vb = value[static_cast<std::size_t>(b)];
    if (va == gas && vb == gas) (a == candidate ? va : vb) = solid++;
    if (va == gas) {
      candidate = a;
    } else if (vb == gas) {
      candidate = b;
    }
    return va < vb;
  }
};

}  // namespace

TEST_CASE("sorts every pattern of cheap and of dear elements") {
  check_type<int>([](int i) { return i; });
  check_type<double>([](int i) { return i / 2.0; });
  check_type<std::string>([](int i) { return std::to_string(i); });
}

TEST_CASE("sorts large arrays, whose partitions are parallel") {
  for (unsigned pattern = 0; pattern < 8; ++pattern) {
    std::vector<int> v = numbers(280000, pattern);  // two threads divide the halves together, too
    std::vector<int> expected = v;
    std::sort(expected.begin(), expected.end());
    std::vector<int> down = v;
    tbb::parallel_sort(v);
    CHECK(v == expected);
    tbb::parallel_sort(down.begin(), down.end(), [](int a, int b) { return a > b; });
    CHECK(std::equal(expected.rbegin(), expected.rend(), down.begin()));
  }
}

namespace {
struct pair_of_ints {
  int key;
  int value;
  friend bool operator<(pair_of_ints const& a, pair_of_ints const& b) { return a.key < b.key; }
};
}  // namespace

TEST_CASE("many threads partition small arrays together") {
  for (int const threads : {3, 16, 70, 1024}) {
    tbb::task_arena arena(threads);
    for (std::size_t const n : {2047u, 2048u, 2049u, 5000u, 20000u}) {
      for (unsigned const pattern : {0u, 3u, 6u}) {
        std::vector<int> const source = numbers(n, pattern);
        std::vector<int> expected = source;
        std::sort(expected.begin(), expected.end());
        std::vector<int> v = source;
        std::vector<std::string> texts;
        for (int const x : source) texts.push_back(std::to_string(x));
        arena.execute([&] {
          tbb::parallel_sort(v);
          tbb::parallel_sort(texts);
        });
        CHECK(v == expected);
        CHECK(std::is_sorted(texts.begin(), texts.end()));
      }
    }
  }
}

TEST_CASE("sorts every number of few elements, and loses none of equal ones") {
  std::mt19937 dice(1);
  for (std::size_t n = 0; n < 150; ++n) {
    for (unsigned kinds : {2u, 5u, 1000000u}) {
      std::vector<pair_of_ints> v(n);
      std::vector<double> d(n);
      for (std::size_t i = 0; i < n; ++i) {
        v[i] = {static_cast<int>(dice() % kinds), static_cast<int>(i)};
        d[i] = v[i].key;
      }
      tbb::parallel_sort(v);
      tbb::parallel_sort(d);
      CHECK(std::is_sorted(v.begin(), v.end()));
      CHECK(std::is_sorted(d.begin(), d.end()));
      std::vector<bool> seen(n);
      for (pair_of_ints const& p : v) seen[static_cast<std::size_t>(p.value)] = true;
      CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
      CHECK(std::equal(v.begin(), v.end(), d.begin(), [](pair_of_ints const& p, double x) { return p.key == x; }));
    }
  }
}

TEST_CASE("several threads partition skewed input") {
  std::mt19937 dice(2);
  for (int threads : {1, 2, 8}) {
    tbb::task_arena arena(threads);
    // Eight threads divide far smaller ranges together than two do.
    std::size_t const size = threads == 1 ? 20000 : threads == 2 ? 280000 : 80000;
    for (unsigned kind = 0; kind < 6; ++kind) {
      std::vector<int> v(size);
      for (int& x : v) {
        unsigned const r = dice();
        x = kind == 0   ? r % 10 != 0                              // two values, one of them rare
            : kind == 1 ? (r % 10 == 0 ? static_cast<int>(r) : 5)  // most elements equal, others around them
            : kind == 2 ? static_cast<int>(r % 3)
            : kind == 3 ? std::max(static_cast<int>(r), 0)  // the least value often
            : kind == 4 ? std::min(static_cast<int>(r), 0)  // the greatest
                        : static_cast<int>(r);
      }
      std::vector<std::string> text;
      if (kind % 2 == 1) {
        std::transform(v.begin() + size / 2, v.end(), std::back_inserter(text),
                       [](int x) { return std::to_string(x); });
      }
      std::vector<int> expected = v;
      std::sort(expected.begin(), expected.end());
      std::vector<std::string> expected_text = text;
      std::sort(expected_text.begin(), expected_text.end());
      arena.execute([&] {
        tbb::parallel_sort(v);
        tbb::parallel_sort(text);
      });
      CHECK(v == expected);
      CHECK(text == expected_text);
    }
  }
}

TEST_CASE("equal elements are compared a few times only") {
  for (unsigned kinds : {1u, 2u, 16u}) {
    std::vector<int> v = numbers(300000, 0);
    for (int& x : v) x = static_cast<int>(static_cast<unsigned>(x) % kinds);
    std::atomic<long> comparisons{0};
    tbb::parallel_sort(v, [&](int a, int b) {
      comparisons.fetch_add(1, std::memory_order_relaxed);
      return a < b;
    });
    CHECK(std::is_sorted(v.begin(), v.end()));
    CHECK(comparisons < 300000 * (kinds == 1 ? 1.01 : kinds == 2 ? 3.1 : 8));
  }
}

namespace {
// Trivially copyable for the compiler, and yet not to be copied.
struct only_moved {
  explicit only_moved(int v) : value(v) {}
  only_moved(only_moved&&) = default;
  only_moved& operator=(only_moved&&) = default;
  int value;
};
// Copied only where the program says so.
struct copied_explicitly {
  copied_explicitly(int v) : value(v) {}  // NOLINT: implicit
  explicit copied_explicitly(copied_explicitly const&) = default;
  copied_explicitly(copied_explicitly&&) = default;
  copied_explicitly& operator=(copied_explicitly const&) = default;
  int value;
};
}  // namespace

TEST_CASE_TEMPLATE("small elements that can't be copied, or not in silence", T, only_moved, copied_explicitly) {
  std::vector<T> v;
  for (int i : numbers(20000, 0)) v.emplace_back(i);
  auto const less = [](T const& a, T const& b) { return a.value < b.value; };
  tbb::parallel_sort(v, less);
  CHECK(std::is_sorted(v.begin(), v.end(), less));
}

TEST_CASE("arrays, deques, move-only elements and containers with a comparison") {
  int array[] = {3, 1, 2};
  tbb::parallel_sort(array);
  CHECK(array[0] == 1);
  tbb::parallel_sort(array, [](int a, int b) { return b < a; });
  CHECK(array[0] == 3);
  std::vector<int> const source = numbers(5000, 0);
  std::deque<int> d(source.begin(), source.end());
  tbb::parallel_sort(d);
  CHECK(std::is_sorted(d.begin(), d.end()));
  std::vector<std::unique_ptr<int>> owners;
  for (int i : source) owners.push_back(std::make_unique<int>(i));
  tbb::parallel_sort(owners, [](auto const& a, auto const& b) { return *a < *b; });
  CHECK(std::is_sorted(owners.begin(), owners.end(), [](auto const& a, auto const& b) { return *a < *b; }));
}

namespace {
struct person {
  int age;
  bool is_younger(person const& other) const { return age < other.age; }
};
}  // namespace

TEST_CASE("a member of the elements is the comparison") {
  std::vector<person> v;
  for (int i : numbers(3000, 0)) v.push_back({i});
  tbb::parallel_sort(v, &person::is_younger);
  CHECK(std::is_sorted(v.begin(), v.end(), [](person const& a, person const& b) { return a.age < b.age; }));
}

TEST_CASE("an adversary does not make it quadratic") {
  constexpr int n = 1500;  // below the size at which halves run in parallel, since the adversary has a state
  std::vector<int> value(n, n);
  std::vector<int> items(n);
  for (int i = 0; i < n; ++i) items[static_cast<std::size_t>(i)] = i;
  int solid = 0;
  int candidate = 0;
  long comparisons = 0;
  tbb::parallel_sort(items.begin(), items.end(), adversary{value, solid, candidate, comparisons});
  CHECK(comparisons < 20 * 1500 * 11);
  CHECK(std::is_sorted(items.begin(), items.end(), [&](int a, int b) {
    return value[static_cast<std::size_t>(a)] < value[static_cast<std::size_t>(b)];
  }));
}

TEST_CASE("an exception from the comparison is delivered, and no element is lost") {
  for (long at : {1L, 50L, 5000L, 40000L, 300000L}) {
    std::vector<int> const source = numbers(30000, 0);
    std::vector<std::unique_ptr<int>> owners;
    for (int i : source) owners.push_back(std::make_unique<int>(i));
    std::atomic<long> left{at};
    auto const less = [&](std::unique_ptr<int> const& a, std::unique_ptr<int> const& b) {
      if (--left == 0) throw std::runtime_error("less");
      return *a < *b;
    };
    CHECK_THROWS_AS(tbb::parallel_sort(owners, less), std::runtime_error);
    CHECK(std::none_of(owners.begin(), owners.end(), [](auto const& p) { return p == nullptr; }));
  }
}

namespace {

// Sorts elements below a context that the comparison cancels. Returns the comparisons after that.
template <typename T, typename Make>
long comparisons_after_cancelling(std::vector<int> const& source, long cancel_at, Make make) {
  std::vector<T> v;
  for (int i : source) v.push_back(make(i));
  std::vector<T> before = v;
  tbb::task_group_context context;
  std::atomic<long> left{cancel_at};
  std::atomic<bool> cancelled{false};
  std::atomic<long> after{0};
  auto const less = [&](T const& a, T const& b) {
    if (cancelled) {
      ++after;
    } else if (--left == 0) {
      context.cancel_group_execution();
      cancelled = true;
    }
    return a < b;
  };
  tbb::parallel_for(0, 1, [&](int) { tbb::parallel_sort(v.begin(), v.end(), less); }, context);
  CHECK(cancelled);
  std::sort(before.begin(), before.end());
  std::sort(v.begin(), v.end());
  CHECK(v == before);
  return after;
}

}  // namespace

TEST_CASE("a cancelled sort stops soon wherever it is, and keeps the elements") {
  for (unsigned pattern : {0u, 1u, 7u}) {
    // Four threads divide these and their halves together.
    std::vector<int> const source = numbers(100000, pattern);
    for (int threads : {1, 4}) {
      tbb::task_arena arena(threads);
      for (long at : {1L, 5000L, 67000L, 99999L, 200000L}) {
        if (pattern != 0 && at > 99999) continue;  // it is in order, or nearly so: fewer comparisons
        arena.execute(
            [&] { CHECK(comparisons_after_cancelling<int>(source, at, [](int i) { return i; }) < 1000 * threads); });
      }
      arena.execute([&] {
        auto const text = [](int i) { return std::to_string(i); };
        std::vector<int> const fewer(source.begin(), source.begin() + 50000);
        CHECK(comparisons_after_cancelling<std::string>(fewer, 36000, text) < 1000 * threads);
      });
    }
  }
}

TEST_CASE("an exception from any comparison of few cheap elements keeps them") {
  std::vector<int> const source = numbers(40, 0);
  std::vector<int> sorted = source;
  std::sort(sorted.begin(), sorted.end());
  for (long at = 1;; ++at) {
    std::vector<int> v = source;
    long left = at;
    auto const less = [&](int a, int b) {
      if (--left == 0) throw std::runtime_error("less");
      return a < b;
    };
    bool thrown = false;
    try {
      tbb::parallel_sort(v.begin(), v.end(), less);
    } catch (std::runtime_error const&) {
      thrown = true;
    }
    if (!thrown) CHECK(v == sorted);
    std::sort(v.begin(), v.end());
    CHECK(v == sorted);
    if (!thrown) break;
  }
}

TEST_CASE("an exception in a parallel partition keeps the elements") {
  std::vector<int> const source = numbers(100000, 0);
  std::vector<int> sorted = source;
  std::sort(sorted.begin(), sorted.end());
  tbb::task_arena arena(4);
  for (long at = 1; at < 300000; at += 17777) {
    std::vector<int> v = source;
    std::atomic<long> left{at};
    auto const less = [&](int a, int b) {
      if (--left == 0) throw std::runtime_error("less");
      return a < b;
    };
    CHECK_THROWS_AS(arena.execute([&] { tbb::parallel_sort(v.begin(), v.end(), less); }), std::runtime_error);
    std::sort(v.begin(), v.end());
    CHECK(v == sorted);
  }
}

#if __cplusplus >= 202002L
namespace {
template <typename It, typename... C>
concept sortable = requires(It i, C... c) { tbb::parallel_sort(i, i, c...); };
template <typename S, typename... C>
concept sequence_sortable = requires(S s, C... c) { tbb::parallel_sort(s, c...); };
struct no_order {};
struct by_value {
  bool operator()(no_order const&, no_order const&) const;
};
struct changes_itself {
  bool operator()(int, int);
};
static_assert(sortable<int*> && sortable<no_order*, by_value> && sequence_sortable<std::vector<int>>);
static_assert(sortable<person*, bool (person::*)(person const&) const>);
static_assert(!sortable<person*, bool (person::*)(person const&)>);  // it could change the elements
static_assert(!sortable<no_order*> && !sortable<std::list<int>::iterator> && !sortable<int*, changes_itself>);
static_assert(!sequence_sortable<std::list<int>> && !sequence_sortable<std::vector<no_order>>);
static_assert(sequence_sortable<std::vector<no_order>, by_value> && !sequence_sortable<std::vector<int>, by_value>);
}  // namespace
#endif
