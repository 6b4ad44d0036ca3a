// SPDX-License-Identifier: Apache-2.0
// Uses of the algorithms that oneTBB 2023.2 allows and that take some care to allow: this file passes with it, too.
#include <doctest/doctest.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>

#include <atomic>
#include <cstddef>
#include <iterator>
#include <vector>

namespace {

class equality_only {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = int const*;
  using reference = int;
  explicit equality_only(int from) : now_(from) {}
  int operator*() const { return now_; }
  equality_only& operator++() {
    ++now_;
    return *this;
  }
  equality_only operator++(int) { return equality_only(now_++); }
  bool operator==(equality_only const& other) const { return now_ == other.now_; }
  bool operator!=(equality_only const&) const = delete;

 private:
  int now_;
};

struct forward_only : equality_only {
  using iterator_category = std::forward_iterator_tag;
  using equality_only::equality_only;
};

// A range that has neither an address nor an operator new for its place.
struct unaddressed_range {
  long first, last;
  unaddressed_range(long f, long l) : first(f), last(l) {}
  unaddressed_range(unaddressed_range& rest, tbb::split) : first((rest.first + rest.last) / 2), last(rest.last) {
    rest.last = first;
  }
  unaddressed_range(unaddressed_range const&) = default;
  bool empty() const { return first >= last; }
  bool is_divisible() const { return last - first > 4; }
  unaddressed_range* operator&() = delete;
  unaddressed_range const* operator&() const = delete;
};

struct visit_to {
  int left;
  visit_to(int n) : left(n) {}  // NOLINT: implicit
};

}  // namespace

TEST_CASE("items are walked by iterators that have == only") {
  std::atomic<int> sum{0};
  tbb::parallel_for_each(equality_only(1), equality_only(5), [&](int i) { sum += i; });
  CHECK(sum == 10);
  tbb::parallel_for_each(forward_only(1), forward_only(5), [&](int i) { sum += i; });
  CHECK(sum == 20);
}

TEST_CASE("items convert to what the body's feeder takes") {
  std::vector<int> const starts{2, 0, 4};
  std::atomic<int> calls{0};
  auto const body = [&](visit_to&& v, tbb::feeder<visit_to>& more) {
    ++calls;
    if (v.left > 0) more.add(visit_to(v.left - 1));
  };
  tbb::parallel_for_each(starts.begin(), starts.end(), body);
  CHECK(calls == 9);
  tbb::parallel_for_each(equality_only(0), equality_only(3), body);
  CHECK(calls == 15);
  tbb::parallel_for_each(starts, body);
  CHECK(calls == 24);
}

TEST_CASE("ranges without an address are halved by every partitioner") {
  std::atomic<long> done{0};
  auto const body = [&](unaddressed_range const& part) { done += part.last - part.first; };
  tbb::affinity_partitioner affinity;
  tbb::parallel_for(unaddressed_range(0, 50), body);
  tbb::parallel_for(unaddressed_range(0, 50), body, affinity);
  tbb::parallel_for(unaddressed_range(0, 50), body, tbb::simple_partitioner());
  tbb::parallel_for(unaddressed_range(0, 50), body, tbb::static_partitioner());
  CHECK(done == 200);
}
