// SPDX-License-Identifier: Apache-2.0
// Ranges of more than 2^32 values. The bodies look at the parts, not at every value.
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace {

constexpr std::int64_t first = -(std::int64_t{1} << 33);
constexpr std::int64_t last = (std::int64_t{1} << 40) + 12345;
constexpr std::size_t grain = std::size_t{1} << 31;
using range = tbb::blocked_range<std::int64_t>;

template <typename Run>
void check_for(Run const& run) {
  std::atomic<std::uint64_t> values{0};
  std::atomic<std::int64_t> borders{0};  // begins and ends cancel each other out, but for the outermost
  run([&](range const& r) {
    values += r.size();
    borders += r.end() - r.begin();
    CHECK(r.begin() < r.end());
  });
  CHECK(values == static_cast<std::uint64_t>(last - first));
  CHECK(borders == last - first);
}

}  // namespace

TEST_CASE("parallel_for over more than 2^32 values, with every partitioner") {
  range const all(first, last, grain);
  check_for([&](auto const& body) { tbb::parallel_for(all, body); });
  check_for([&](auto const& body) { tbb::parallel_for(all, body, tbb::simple_partitioner()); });
  check_for([&](auto const& body) { tbb::parallel_for(all, body, tbb::auto_partitioner()); });
  check_for([&](auto const& body) { tbb::parallel_for(all, body, tbb::static_partitioner()); });
  tbb::affinity_partitioner affinity;
  for (int i = 0; i < 2; ++i) check_for([&](auto const& body) { tbb::parallel_for(all, body, affinity); });
}

TEST_CASE("a step of more than 2^32, and unsigned values up to the largest") {
  constexpr std::int64_t step = (std::int64_t{1} << 33) + 1;
  std::atomic<int> calls{0};
  std::atomic<std::int64_t> sum{0};
  tbb::parallel_for(first, last, step, [&](std::int64_t i) {
    ++calls;
    sum += (i - first) / step;
    CHECK((i - first) % step == 0);
  });
  std::int64_t const n = (last - first + step - 1) / step;
  CHECK(calls == n);
  CHECK(sum == n * (n - 1) / 2);
  std::atomic<int> near_the_end{0};
  tbb::parallel_for(~std::uint64_t{0} - 10, ~std::uint64_t{0}, [&](std::uint64_t) { ++near_the_end; });
  CHECK(near_the_end == 10);
}

TEST_CASE("two dimensions with more than 2^32 cells") {
  std::atomic<std::uint64_t> cells{0};
  tbb::parallel_for(
      tbb::blocked_range2d<std::int64_t>(0, std::int64_t{1} << 20, 1 << 15, 0, std::int64_t{1} << 21, 1 << 16),
      [&](auto const& r) { cells += r.rows().size() * r.cols().size(); });
  CHECK(cells == std::uint64_t{1} << 41);
}

TEST_CASE("reductions and scans over more than 2^32 values") {
  range const all(first, last, grain);
  auto const count = [](range const& r, std::int64_t sum) { return sum + r.end() - r.begin(); };
  auto const add = [](std::int64_t a, std::int64_t b) { return a + b; };
  CHECK(tbb::parallel_reduce(all, std::int64_t{0}, count, add) == last - first);
  CHECK(tbb::parallel_reduce(all, std::int64_t{0}, count, add, tbb::simple_partitioner()) == last - first);
  CHECK(tbb::parallel_deterministic_reduce(all, std::int64_t{0}, count, add) == last - first);
  for (bool by_grain : {false, true}) {
    std::atomic<bool> right{true};
    auto const scan = [&](range const& r, std::int64_t sum, bool is_final) {
      if (is_final && sum != r.begin() - first) right = false;
      return sum + r.end() - r.begin();
    };
    std::int64_t const all_of_it = by_grain
                                       ? tbb::parallel_scan(all, std::int64_t{0}, scan, add, tbb::simple_partitioner())
                                       : tbb::parallel_scan(all, std::int64_t{0}, scan, add);
    CHECK(all_of_it == last - first);
    CHECK(right);
  }
}

namespace {

// Positions up to 2^40 of a few places that repeat.
class wheel_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = unsigned;
  using difference_type = std::ptrdiff_t;
  using pointer = unsigned*;
  using reference = unsigned&;

  wheel_iterator() = default;
  wheel_iterator(std::vector<unsigned>& wheel, difference_type at) : wheel_(&wheel), at_(at) {}
  reference operator*() const {
    if (at_ < 0 || at_ >> 40 != 0) std::abort();
    return (*wheel_)[static_cast<std::size_t>(at_) % wheel_->size()];
  }
  reference operator[](difference_type n) const { return *(*this + n); }
  wheel_iterator& operator++() { return *this += 1; }
  wheel_iterator& operator--() { return *this += -1; }
  wheel_iterator operator++(int) { return wheel_iterator(*wheel_, at_++); }
  wheel_iterator operator--(int) { return wheel_iterator(*wheel_, at_--); }
  wheel_iterator& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  wheel_iterator& operator-=(difference_type n) { return *this += -n; }
  [[maybe_unused]] friend wheel_iterator operator+(wheel_iterator i, difference_type n) { return i += n; }
  [[maybe_unused]] friend wheel_iterator operator+(difference_type n, wheel_iterator i) { return i += n; }
  [[maybe_unused]] friend wheel_iterator operator-(wheel_iterator i, difference_type n) { return i -= n; }
  [[maybe_unused]] friend difference_type operator-(wheel_iterator a, wheel_iterator b) { return a.at_ - b.at_; }
  [[maybe_unused]] friend bool operator==(wheel_iterator a, wheel_iterator b) { return a.at_ == b.at_; }
  [[maybe_unused]] friend bool operator!=(wheel_iterator a, wheel_iterator b) { return a.at_ != b.at_; }
  [[maybe_unused]] friend bool operator<(wheel_iterator a, wheel_iterator b) { return a.at_ < b.at_; }
  [[maybe_unused]] friend bool operator>(wheel_iterator a, wheel_iterator b) { return a.at_ > b.at_; }
  [[maybe_unused]] friend bool operator<=(wheel_iterator a, wheel_iterator b) { return a.at_ <= b.at_; }
  [[maybe_unused]] friend bool operator>=(wheel_iterator a, wheel_iterator b) { return a.at_ >= b.at_; }

 private:
  std::vector<unsigned>* wheel_ = nullptr;
  difference_type at_ = 0;
};

struct enough {};

}  // namespace

namespace {

std::vector<unsigned> numbers() {
  std::vector<unsigned> wheel(4099);
  for (std::size_t i = 0; i < wheel.size(); ++i) wheel[i] = static_cast<unsigned>(i * 2654435761u);
  return wheel;
}
constexpr std::ptrdiff_t many = std::ptrdiff_t{1} << 40;

}  // namespace

TEST_CASE("parallel_for_each over more than 2^32 elements begins, and ends with an exception") {
  std::vector<unsigned> wheel = numbers();
  std::atomic<int> left{20000};
  CHECK_THROWS_AS(tbb::parallel_for_each(wheel_iterator(wheel, 0), wheel_iterator(wheel, many),
                                         [&](unsigned const&) {
                                           if (--left <= 0) throw enough();
                                         }),
                  enough);
  CHECK(left <= 0);
}

// Threads that move different elements may meet at one place. All of them throw: one that partitions its part goes on
// to its end.
TEST_CASE("parallel_sort of more than 2^32 elements begins, and ends with an exception" * doctest::skip(ASHLAR_TSAN)) {
  std::vector<unsigned> wheel = numbers();
  std::atomic<int> left{20000};
  CHECK_THROWS_AS(tbb::parallel_sort(wheel_iterator(wheel, 0), wheel_iterator(wheel, many),
                                     [&](unsigned a, unsigned b) {
                                       if (--left <= 0) throw enough();
                                       return a < b;
                                     }),
                  enough);
  CHECK(left <= 0);
}
