// SPDX-License-Identifier: Apache-2.0
#include <tbb/iterators.h>
#include <tbb/parallel_for_each.h>

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <vector>

TEST_CASE("counting_iterator") {
  tbb::counting_iterator<int> a(3);
  tbb::counting_iterator<int> const b(10);
  CHECK(b - a == 7);
  CHECK(*a++ == 3);
  CHECK(*++a == 5);
  CHECK(a[2] == 7);
  CHECK(*(a - 5) == 0);
  CHECK(a < b);
  CHECK(b >= a);
  CHECK(std::accumulate(a, b, 0) == 5 + 6 + 7 + 8 + 9);
  std::atomic<long> sum{0};
  tbb::parallel_for_each(tbb::counting_iterator<long>(0), tbb::counting_iterator<long>(10000),
                         [&](long i) { sum += i; });
  CHECK(sum == 49995000);
}

TEST_CASE("zip_iterator") {
  std::vector<int> a{1, 2, 3};
  std::vector<double> b{1.5, 2.5, 3.5};
  auto const first = tbb::make_zip_iterator(a.begin(), b.begin());
  auto const last = tbb::make_zip_iterator(a.end(), b.end());
  CHECK(last - first == 3);
  tbb::parallel_for_each(first, last,
                         [](std::tuple<int&, double&> t) { std::get<0>(t) += static_cast<int>(std::get<1>(t)); });
  CHECK(a == std::vector<int>{2, 4, 6});
  CHECK(std::get<1>(first[2]) == 3.5);
  CHECK(std::get<0>(first.base()) == a.begin());
}

TEST_CASE("transform_iterator and permutation_iterator") {
  std::vector<int> const v{10, 20, 30, 40};
  auto const half = tbb::make_transform_iterator(v.begin(), [](int i) { return i / 2; });
  CHECK(half[3] == 20);
  CHECK(std::accumulate(half, half + 4, 0) == 50);
  auto last = half;
  last = half + 4;
  CHECK(last - half == 4);
  CHECK(last.base() == v.end());
  std::vector<int> const order{3, 1};
  auto const chosen = tbb::make_permutation_iterator(v.begin(), order.begin());
  CHECK(*chosen == 40);
  CHECK(chosen[1] == 20);
  auto const reversed = tbb::make_permutation_iterator(v.begin(), [](long i) { return 3 - i; });
  CHECK(reversed[0] == 40);
  CHECK((reversed + 3) - reversed == 3);
}
