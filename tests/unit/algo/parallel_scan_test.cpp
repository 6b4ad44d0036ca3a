// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>
#include <tbb/parallel_scan.h>
#include <tbb/task_arena.h>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using range = tbb::blocked_range<int>;

std::atomic<int> alive{0};
std::atomic<int> left_to_throw{0};  // 1: the next chance throws
void maybe_throw() {
  if (left_to_throw.fetch_sub(1) == 1) throw std::runtime_error("scan");
}

// Appends to a string: associative, not commutative.
struct letters {
  std::string sum;
  std::vector<std::string>* out;
  explicit letters(std::vector<std::string>* o) : out(o) { ++alive; }
  letters(letters& o, tbb::split) : out(o.out) {
    maybe_throw();
    ++alive;
  }
  ~letters() { --alive; }
  template <typename Tag>
  void operator()(range const& r, Tag tag) {
    for (int i = r.begin(); i != r.end(); ++i) {
      sum += static_cast<char>('a' + i % 26);
      if (tag) (*out)[static_cast<std::size_t>(i)] = sum.substr(sum.size() > 5 ? sum.size() - 5 : 0);
    }
    maybe_throw();
  }
  void reverse_join(letters& left) {
    maybe_throw();
    sum = left.sum + sum;
  }
  void assign(letters& o) {
    maybe_throw();
    sum = o.sum;
  }
};

template <typename... P>
void check_body(int n, std::size_t grain, P const&... partitioner) {
  std::vector<std::string> out(static_cast<std::size_t>(n));
  letters body(&out);
  tbb::parallel_scan(range(0, n, grain), body, partitioner...);
  std::string expected;
  bool same = true;
  for (int i = 0; i < n; ++i) {
    expected += static_cast<char>('a' + i % 26);
    same = same && out[static_cast<std::size_t>(i)] == expected.substr(expected.size() > 5 ? expected.size() - 5 : 0);
  }
  CHECK(same);
  CHECK(body.sum == expected);
}

}  // namespace

TEST_CASE("a scan keeps the order, with both partitioners and every grain") {
  for (int n : {0, 1, 2, 30, 3000}) {
    check_body(n, 1);
    check_body(n, 7, tbb::simple_partitioner());
    check_body(n, 1, tbb::simple_partitioner());
    check_body(n, 1, tbb::auto_partitioner());
  }
  CHECK(alive == 0);
}

TEST_CASE("the functional form returns the sum and scans every part finally once") {
  for (int round = 0; round < 3; ++round) {
    for (int n : {0, 1, 1000, 1000000}) {
      std::vector<long> out(static_cast<std::size_t>(n));
      std::atomic<long> finals{0};
      auto const scan = [&](range const& r, long sum, bool is_final) {
        for (int i = r.begin(); i != r.end(); ++i) {
          sum += i;
          if (is_final) out[static_cast<std::size_t>(i)] = sum;
        }
        if (is_final) finals += static_cast<long>(r.size());
        return sum;
      };
      auto const add = [](long a, long b) { return a + b; };
      long const all = n == 0 ? 0 : static_cast<long>(n) * (n - 1) / 2;
      CHECK(tbb::parallel_scan(range(0, n), 0L, scan, add) == all);
      CHECK(tbb::parallel_scan(range(0, n, 500), 0L, scan, add, tbb::simple_partitioner()) == all);
      CHECK(tbb::parallel_scan(range(0, n), 0L, scan, add, tbb::auto_partitioner()) == all);
      CHECK(finals == 3L * n);
      bool right = true;
      for (long i = 0; i < n; ++i) right = right && out[static_cast<std::size_t>(i)] == i * (i + 1) / 2;
      CHECK(right);
    }
  }
}

namespace {
struct rising_range : range {
  using range::range;
  rising_range(rising_range& r, tbb::split how) : range(r, how) {}
  long sum_up(long sum, bool) const {
    for (int i = begin(); i != end(); ++i) sum += i;
    return sum;
  }
};
struct total {
  long value;
  total plus(total const& right) const { return {value + right.value}; }
};
}  // namespace

TEST_CASE("members of the range and of the value are functions of a scan") {
  auto const add = [](long a, long b) { return a + b; };
  CHECK(tbb::parallel_scan(rising_range(0, 1000, 7), 0L, &rising_range::sum_up, add) == 499500);
  auto const grow = [](range const& r, total t, bool) { return total{t.value + static_cast<long>(r.size())}; };
  CHECK(tbb::parallel_scan(range(0, 1000, 7), total{0}, grow, &total::plus).value == 1000);
}

TEST_CASE("long and short scans at one place in the program don't hurt each other") {
  for (std::size_t n : {3000000u, 5u, 1000u, 2000000u, 1u, 4000000u, 100000u}) {
    std::vector<unsigned> const in(n, 3);
    std::vector<unsigned> out(n);
    unsigned const all = tbb::parallel_scan(
        tbb::blocked_range<std::size_t>(0, n), 0u,
        [&](tbb::blocked_range<std::size_t> const& part, unsigned sum, bool is_final) {
          for (std::size_t i = part.begin(); i != part.end(); ++i) {
            sum += in[i];
            if (is_final) out[i] = sum;
          }
          return sum;
        },
        [](unsigned a, unsigned b) { return a + b; });
    CHECK(all == 3 * n);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += out[i] != 3 * (i + 1);
    CHECK(wrong == 0);
  }
}

TEST_CASE("an exception from any part of a scan is delivered and no body leaks") {
  std::vector<std::string> out(2000);
  for (int chance = 1; chance < 120; ++chance) {
    letters body(&out);
    left_to_throw = chance;
    bool caught = false;
    try {
      tbb::parallel_scan(range(0, 2000, 20), body, tbb::simple_partitioner());
    } catch (std::runtime_error const&) {
      caught = true;
    }
    CHECK(caught == (left_to_throw <= 0));
    left_to_throw = 0;
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

namespace {
// Cancels when it comes to an index, and counts the parts that begin after that.
struct cancelling : letters {
  cancelling(letters const& l, tbb::task_group_context& c, std::atomic<int>& a, int i)
      : letters(l.out), context(c), after(a), at(i) {}
  cancelling(cancelling& o, tbb::split s) : letters(o, s), context(o.context), after(o.after), at(o.at) {}
  template <typename Tag>
  void operator()(range const& r, Tag tag) {
    if (context.is_group_execution_cancelled()) ++after;
    letters::operator()(r, tag);
    if (r.begin() <= at && at < r.end()) context.cancel_group_execution();
  }
  tbb::task_group_context& context;
  std::atomic<int>& after;
  int at;
};
}  // namespace

TEST_CASE("a cancelled scan stops soon, and no body leaks") {
  constexpr int n = 20000;
  std::vector<std::string> out(n);
  tbb::task_arena arena(4);
  for (int at : {0, 1, 50, 10000, n - 1}) {
    letters body(&out);
    tbb::task_group_context context;
    std::atomic<int> parts_after{0};
    arena.execute([&] {
      tbb::parallel_for(
          0, 1,
          [&](int) {
            cancelling scan(body, context, parts_after, at);
            tbb::parallel_scan(range(0, n, 20), scan, tbb::simple_partitioner());
          },
          context);
    });
    CHECK(context.is_group_execution_cancelled());
    CHECK(parts_after <= 8);  // of 1000: each thread ends what it has begun
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

#if __cplusplus >= 202002L
namespace {
template <typename... A>
concept scannable = requires(A&... a) { tbb::parallel_scan(a...); };
struct no_join {
  no_join(no_join&, tbb::split);
  template <typename Tag>
  void operator()(range const&, Tag);
};
using sum_function = long (*)(range const&, long, bool);
using combine_function = long (*)(long, long);
static_assert(scannable<range, letters> && scannable<range, letters, tbb::simple_partitioner>);
static_assert(!scannable<range, no_join> && !scannable<int, letters>);
static_assert(!scannable<range, letters, tbb::static_partitioner>);
static_assert(scannable<range, long, sum_function, combine_function>);
static_assert(!scannable<range, long, combine_function, combine_function>);
}  // namespace
#endif
