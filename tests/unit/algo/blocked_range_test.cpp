// SPDX-License-Identifier: Apache-2.0
#include <tbb/blocked_range.h>

#include "unit/algo/range_parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

template <typename V>
using limits = std::numeric_limits<V>;

// The steps from a to b without overflow.
template <typename V>
std::uint64_t steps(V a, V b) {
  return static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

// One split of [begin, end): the halves meet, cover the whole and differ by at most one step.
template <typename V>
void check_halves(V begin, V end, std::size_t grain) {
  CAPTURE(+begin);
  CAPTURE(+end);
  tbb::blocked_range<V> left(begin, end, grain);
  REQUIRE(left.size() == steps(begin, end));
  REQUIRE(left.is_divisible() == (steps(begin, end) > grain));
  if (!left.is_divisible()) return;
  tbb::blocked_range<V> const right(left, tbb::split());
  CHECK(left.begin() == begin);
  CHECK(left.end() == right.begin());
  CHECK(right.end() == end);
  CHECK(left.grainsize() == grain);
  CHECK(right.grainsize() == grain);
  CHECK(left.size() + right.size() == steps(begin, end));
  CHECK(left.size() == steps(begin, end) / 2);
  CHECK_FALSE(left.empty());
  CHECK_FALSE(right.empty());
}

template <typename V>
void check_proportions(V begin, V end) {
  std::uint64_t const all = steps(begin, end);
  constexpr std::size_t huge = static_cast<std::size_t>(-1);
  for (proportion p :
       {proportion{1, 1}, {1, 2}, {2, 1}, {1, 1000}, {1000, 1}, {3, 5}, {huge, huge}, {huge, 1}, {1, huge}}) {
    CAPTURE(p.left);
    CAPTURE(p.right);
    CAPTURE(all);
    tbb::blocked_range<V> left(begin, end);
    if (!left.is_divisible()) continue;
    tbb::proportional_split how(p.left, p.right);
    tbb::blocked_range<V> const right(left, how);
    CHECK(left.begin() == begin);
    CHECK(left.end() == right.begin());
    CHECK(right.end() == end);
    REQUIRE(left.size() >= 1);
    REQUIRE(right.size() >= 1);
    CHECK(left.size() + right.size() == all);
    double const wanted = static_cast<double>(all) *
                          (static_cast<double>(p.right) / (static_cast<double>(p.left) + static_cast<double>(p.right)));
    double const error = static_cast<double>(right.size()) - wanted;
    double const rounding = 1 + static_cast<double>(all) * 1e-15;
    CHECK(std::abs(error) <= rounding);
  }
}

// A value with just what the range asks for; counts copies and throws at the one that `throw_at` names.
class counted {
 public:
  explicit counted(int n) : n_(n) {}
  counted(counted const& other) : n_(other.n_) { count(); }
  counted& operator=(counted const& other) {
    count();
    n_ = other.n_;
    return *this;
  }
  friend bool operator<(counted const& a, counted const& b) { return a.n_ < b.n_; }
  friend std::size_t operator-(counted const& a, counted const& b) { return static_cast<std::size_t>(a.n_ - b.n_); }
  friend counted operator+(counted const& a, std::size_t n) { return counted(a.n_ + static_cast<int>(n)); }
  int get() const { return n_; }

  static inline int copies = 0;
  static inline int throw_at = 0;

 private:
  static void count() {
    if (++copies == throw_at) throw std::runtime_error("copy");
  }
  int n_;
};

}  // namespace

// Not all operators of these are called, so they have external linkage.
namespace blocked_range_test {

// A value whose distance is a type of its own that can't be made of a number.
class span_of_days {
 public:
  struct unit {};
  span_of_days(int days, unit) : days_(days) {}
  operator std::size_t() const { return static_cast<std::size_t>(days_); }
  friend span_of_days operator/(span_of_days s, unsigned n) { return {s.days_ / static_cast<int>(n), unit()}; }
  int days() const { return days_; }

 private:
  int days_;
};
struct date {
  int day;
  friend bool operator<(date a, date b) { return a.day < b.day; }
  friend span_of_days operator-(date a, date b) { return {a.day - b.day, span_of_days::unit()}; }
  friend date operator+(date d, span_of_days s) { return {d.day + s.days()}; }
};

struct no_order {
  friend std::size_t operator-(no_order, no_order) { return 0; }
  friend no_order operator+(no_order a, std::size_t) { return a; }
};
struct no_distance {
  friend bool operator<(no_distance, no_distance) { return false; }
  friend no_distance operator+(no_distance a, std::size_t) { return a; }
};
struct no_steps {
  friend bool operator<(no_steps, no_steps) { return false; }
  friend std::size_t operator-(no_steps, no_steps) { return 0; }
};
struct no_copy : no_order {
  no_copy(no_copy const&) = delete;
  friend bool operator<(no_copy const&, no_copy const&) { return false; }
};
struct order_of_variables_only {
  friend bool operator<(order_of_variables_only&, order_of_variables_only&) { return false; }
  friend std::size_t operator-(order_of_variables_only, order_of_variables_only) { return 0; }
  friend order_of_variables_only operator+(order_of_variables_only a, std::size_t) { return a; }
};

}  // namespace blocked_range_test
using namespace blocked_range_test;

TEST_CASE("blocked_range: what it is made of") {
  tbb::blocked_range<int> const r(3, 17, 4);
  CHECK(r.begin() == 3);
  CHECK(r.end() == 17);
  CHECK(r.size() == 14);
  CHECK(r.grainsize() == 4);
  CHECK_FALSE(r.empty());
  CHECK(r.is_divisible());
  CHECK(tbb::blocked_range<int>(0, 9).grainsize() == 1);
  CHECK(tbb::blocked_range<int>(5, 5).empty());
  CHECK(tbb::blocked_range<int>(6, 5).empty());
  CHECK_FALSE(tbb::blocked_range<int>(5, 5).is_divisible());
  CHECK_FALSE(tbb::blocked_range<int>(0, 4, 4).is_divisible());
  CHECK(tbb::blocked_range<int>(0, 5, 4).is_divisible());
  tbb::blocked_range<long> const nothing;
  CHECK(nothing.empty());
  CHECK_FALSE(nothing.is_divisible());
  CHECK(nothing.begin() == 0);
  tbb::blocked_range<int> copy(r);
  copy = tbb::blocked_range<int>(0, 1);
  CHECK(copy.end() == 1);
  static_assert(std::is_same_v<tbb::blocked_range<short>::const_iterator, short>);
  static_assert(std::is_same_v<tbb::blocked_range<short>::size_type, std::size_t>);
  static_assert(tbb::blocked_range<short>::is_splittable_in_proportion);
  static_assert(std::is_same_v<decltype(tbb::blocked_range(0, 10, 2)), tbb::blocked_range<int>>);
}

TEST_CASE_TEMPLATE("blocked_range: all intervals of 8 bits", V, signed char, unsigned char, char) {
  for (int begin = limits<V>::min(); begin <= limits<V>::max(); begin += 3) {
    for (int end = begin; end <= limits<V>::max(); end += 2) {
      auto const b = static_cast<V>(begin);
      auto const e = static_cast<V>(end);
      tbb::blocked_range<V> left(b, e, 5);
      std::size_t const all = static_cast<std::size_t>(end - begin);
      REQUIRE(left.size() == all);
      if (all <= 5) continue;
      tbb::blocked_range<V> const right(left, tbb::split());
      bool const exact = left.begin() == b && left.end() == right.begin() && right.end() == e &&
                         left.size() == all / 2 && right.size() == all - all / 2;
      REQUIRE(exact);
    }
  }
}

TEST_CASE_TEMPLATE("blocked_range: near the limits of the type", V, signed char, unsigned char, short, unsigned short,
                   int, unsigned, long, unsigned long, long long, unsigned long long, char16_t, char32_t, wchar_t) {
  V const low = limits<V>::min();
  V const high = limits<V>::max();
  auto const at = [](V base, int offset) { return static_cast<V>(base + static_cast<V>(offset)); };
  for (std::size_t grain : {std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
    check_halves<V>(low, high, grain);
    check_halves<V>(low, at(low, 101), grain);
    check_halves<V>(at(high, -101), high, grain);
    check_halves<V>(at(high, -1), high, grain);
    check_halves<V>(at(high, -2), high, grain);
    check_halves<V>(at(low, 1), high, grain);
    check_halves<V>(low, at(high, -1), grain);
    check_halves<V>(static_cast<V>(high / 3), static_cast<V>(high / 3 * 2 + 1), grain);
    if (std::is_signed_v<V>) check_halves<V>(at(0, -51), at(0, 52), grain);
  }
  check_proportions<V>(low, high);
  check_proportions<V>(low, at(low, 2));
  check_proportions<V>(at(high, -3), high);
  check_proportions<V>(at(high, -100), high);
}

TEST_CASE("blocked_range: split to the end, all parts are in order, whole and as large as the grain allows") {
  for (std::size_t grain : {1u, 2u, 3u, 10u, 64u, 99u, 100u, 5000u}) {
    for (int size : {1, 2, 3, 63, 64, 65, 100, 1000, 4097}) {
      CAPTURE(grain);
      CAPTURE(size);
      auto const parts = split_to_the_end(tbb::blocked_range<int>(-7, size - 7, grain));
      int next = -7;
      for (auto const& p : parts) {
        REQUIRE(p.begin() == next);
        REQUIRE(p.size() <= grain);
        if (parts.size() > 1) REQUIRE(p.size() >= (grain + 1) / 2);
        REQUIRE(p.size() >= 1);
        next = p.end();
      }
      CHECK(next == size - 7);
      if (grain == 1) CHECK(parts.size() == static_cast<std::size_t>(size));
    }
  }
}

TEST_CASE("blocked_range: split to the end in mixed proportions, nothing is lost or twice") {
  std::vector<proportion> const mixed{{1, 1}, {1, 7}, {0, 0}, {9, 2}, {1000, 1}, {1, 1000}};
  auto const parts = split_to_the_end(tbb::blocked_range<long>(0, 5000, 3), mixed);
  long next = 0;
  for (auto const& p : parts) {
    REQUIRE(p.begin() == next);
    REQUIRE_FALSE(p.empty());
    REQUIRE(p.size() <= 3);
    next = p.end();
  }
  CHECK(next == 5000);
}

TEST_CASE("blocked_range: proportions") {
  struct {
    int size;
    std::size_t left, right;
    std::size_t expected_right;
  } const cases[] = {{100, 1, 1, 50}, {100, 3, 1, 25},   {100, 1, 3, 75},    {7, 1, 1, 4},   {7, 2, 1, 2},
                     {2, 1, 3, 1},    {2, 1000, 1, 1},   {1000, 1000, 1, 1}, {10, 0, 1, 10}, {10, 1, 0, 0},
                     {3, 1, 2, 2},    {1000, 7, 3, 300}, {10, 0, 0, 5}};
  for (auto const& c : cases) {
    CAPTURE(c.size);
    CAPTURE(c.left);
    CAPTURE(c.right);
    tbb::blocked_range<int> left(0, c.size);
    tbb::proportional_split how(c.left, c.right);
    tbb::blocked_range<int> const right(left, how);
    CHECK(right.size() == c.expected_right);
    CHECK(left.size() == static_cast<std::size_t>(c.size) - c.expected_right);
    CHECK(left.end() == right.begin());
    CHECK(right.end() == c.size);
  }
}

TEST_CASE("blocked_range: pointers and iterators") {
  std::vector<int> v(1000, 1);
  std::deque<int> d(1000, 1);
  std::string const s(1000, 'a');
  auto const sum = [](auto const& range) {
    std::size_t n = 0;
    for (auto const& part : split_to_the_end(range)) {
      n += static_cast<std::size_t>(std::count_if(part.begin(), part.end(), [](auto x) { return x == 1 || x == 'a'; }));
    }
    return n;
  };
  CHECK(sum(tbb::blocked_range<int*>(v.data(), v.data() + 1000, 7)) == 1000);
  CHECK(sum(tbb::blocked_range<int const*>(v.data(), v.data() + 1000, 7)) == 1000);
  CHECK(sum(tbb::blocked_range(v.begin(), v.end(), 13)) == 1000);
  CHECK(sum(tbb::blocked_range(d.cbegin(), d.cend())) == 1000);
  CHECK(sum(tbb::blocked_range(s.rbegin(), s.rend(), 100)) == 1000);
}

TEST_CASE("blocked_range: user types") {
  auto const parts = split_to_the_end(tbb::blocked_range<counted>(counted(3), counted(1003), 10));
  int next = 3;
  for (auto const& p : parts) {
    REQUIRE(p.begin().get() == next);
    REQUIRE(p.size() <= 10);
    next = p.end().get();
  }
  CHECK(next == 1003);

  tbb::blocked_range<date> first(date{10}, date{31});
  tbb::blocked_range<date> const second(first, tbb::split());
  CHECK(first.begin().day == 10);
  CHECK(first.end().day == 20);
  CHECK(second.begin().day == 20);
  CHECK(second.end().day == 31);

  tbb::blocked_range<double> left(0.5, 10.5);
  tbb::blocked_range<double> const right(left, tbb::split());
  CHECK(left.end() == 5.5);
  CHECK(right.begin() == 5.5);
}

TEST_CASE("blocked_range: a split that throws leaves the range as it was") {
  bool finished = false;
  for (int at = 1; !finished; ++at) {
    REQUIRE(at < 50);
    for (bool in_proportion : {false, true}) {
      counted::throw_at = 0;
      tbb::blocked_range<counted> r(counted(0), counted(100), 10);
      tbb::proportional_split how(1, 3);
      counted::copies = 0;
      counted::throw_at = at;
      try {
        if (in_proportion) {
          tbb::blocked_range<counted> const right(r, how);
        } else {
          tbb::blocked_range<counted> const right(r, tbb::split());
        }
        finished = true;
      } catch (std::runtime_error const&) {
        finished = false;
      }
      counted::throw_at = 0;
      if (!finished) {
        CHECK(r.begin().get() == 0);
        CHECK(r.end().get() == 100);
      }
    }
  }
  counted::throw_at = 0;
}

TEST_CASE("blocked_range: which types may be bounds") {
  using ashlar::is_range_value;
  static_assert(is_range_value<int> && is_range_value<char> && is_range_value<unsigned long long>);
  static_assert(is_range_value<int*> && is_range_value<std::deque<int>::iterator> && is_range_value<double>);
  static_assert(is_range_value<counted> && is_range_value<date>);
  static_assert(!is_range_value<no_order> && !is_range_value<no_distance> && !is_range_value<no_steps>);
  static_assert(!is_range_value<no_copy> && !is_range_value<order_of_variables_only>);
  static_assert(!is_range_value<std::string> && !is_range_value<void> && !is_range_value<int&>);
  static_assert(!is_range_value<void*>);
}

#ifdef __cpp_concepts
namespace {
template <typename V>
concept makes_a_range = requires { typename tbb::blocked_range<V>; };
}  // namespace

TEST_CASE("blocked_range: other types do not satisfy the constraint") {
  static_assert(makes_a_range<int> && makes_a_range<counted>);
  static_assert(!makes_a_range<no_order> && !makes_a_range<std::string>);
}
#endif

#ifdef __SIZEOF_INT128__
TEST_CASE("blocked_range: integers that are wider than the size") {
  __extension__ using wide = __int128;
  if (!std::is_integral_v<wide>) return;  // a strict library does not count it as an integer
  wide const end = static_cast<wide>(1) << 100;
  tbb::blocked_range<wide> left(0, end);
  tbb::blocked_range<wide> const right(left, tbb::split());
  CHECK(left.end() == right.begin());
  CHECK(right.end() == end);
  CHECK_FALSE(left.empty());
  CHECK_FALSE(right.empty());
}
#endif
