// SPDX-License-Identifier: Apache-2.0
// Short answers about loops and their results, for docs/guide/how_do_i.md.
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using range = tbb::blocked_range<std::size_t>;

bool elements() {
  std::list<std::string> names = {"slate", "marble", "granite"};
  tbb::parallel_for_each(names, [](std::string& name) { name += '!'; });
  return names.back() == "granite!";
}

bool steps() {
  std::vector<int> values(100, 1);
  tbb::parallel_for(0, 100, 2, [&](int i) { values[i] = 0; });  // 0, 2, 4 …
  return std::accumulate(values.begin(), values.end(), 0) == 50;
}

bool growing_work() {
  std::atomic<int> visited{0};
  std::vector<int> const roots = {5, 7};
  tbb::parallel_for_each(roots, [&](int depth, tbb::feeder<int>& more) {
    ++visited;
    if (depth > 0) more.add(depth - 1);
  });
  return visited == 14;
}

bool grain() {
  std::vector<int> values(10000, 1);
  tbb::parallel_for(
      range(0, values.size(), 1000),  // a part with more than 1000 elements is split
      [&](range const& part) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) values[i] *= 3;
      },
      tbb::simple_partitioner());
  return values[9999] == 3;
}

bool nested() {
  std::vector<std::vector<int>> rows(100, std::vector<int>(100));
  tbb::parallel_for(
      0, 100, [&](int row) { tbb::parallel_for(0, 100, [&, row](int column) { rows[row][column] = row * column; }); });
  return rows[7][6] == 42;
}

bool progress() {
  int const steps = 1000;
  std::atomic<int> done{0};
  tbb::parallel_for(0, steps, [&](int) {
    int const now = done.fetch_add(1, std::memory_order_relaxed) + 1;
    if (now * 10 % steps == 0) std::printf("%d %%\n", now * 100 / steps);
  });
  return done == steps;
}

bool sum() {
  std::vector<double> const values(1000, 0.5);
  double const whole = tbb::parallel_reduce(
      range(0, values.size()), 0.0,
      [&](range const& part, double so_far) {
        return std::accumulate(&values[0] + part.begin(), &values[0] + part.end(), so_far);
      },
      std::plus<>());
  return whole == 500;
}

bool place_of_the_smallest() {
  std::vector<int> const values = {5, 3, 8, 1, 9, 1};
  using found = std::pair<int, std::size_t>;  // the value, and where it is
  found const least = tbb::parallel_reduce(
      range(1, values.size()), found(values[0], 0),
      [&](range const& part, found best) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) best = std::min(best, found(values[i], i));
        return best;
      },
      [](found a, found b) { return std::min(a, b); });
  return least == found(1, 3);
}

bool same_sum_each_time() {
  std::vector<float> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / float(i + 1);
  auto const add = [&](range const& part, float so_far) {
    return std::accumulate(&values[0] + part.begin(), &values[0] + part.end(), so_far);
  };
  float const once = tbb::parallel_deterministic_reduce(range(0, values.size(), 1000), 0.0F, add, std::plus<>());
  return once == tbb::parallel_deterministic_reduce(range(0, values.size(), 1000), 0.0F, add, std::plus<>());
}

bool histogram() {
  std::vector<int> const values(10000, 3);
  tbb::combinable<std::array<int, 16>> counts([] { return std::array<int, 16>{}; });
  tbb::parallel_for(std::size_t(0), values.size(), [&](std::size_t i) { ++counts.local()[values[i]]; });
  std::array<int, 16> all{};
  counts.combine_each([&](std::array<int, 16> const& one) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += one[k];
  });
  return all[3] == 10000;
}

bool collected() {
  tbb::enumerable_thread_specific<std::vector<int>> parts;
  tbb::parallel_for(0, 1000, [&](int i) {
    if (i % 7 == 0) parts.local().push_back(i);
  });
  std::vector<int> all;
  for (std::vector<int> const& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all.size() == 143;
}

bool sorted() {
  std::vector<std::string> names = {"slate", "marble", "granite"};
  tbb::parallel_sort(names, [](std::string const& a, std::string const& b) { return a.size() < b.size(); });
  return names[0] == "slate";
}

bool tiles() {
  int const n = 100;
  std::vector<int> image(n * n);
  tbb::parallel_for(tbb::blocked_range2d<int>(0, n, 0, n), [&](tbb::blocked_range2d<int> const& tile) {
    for (int y = tile.rows().begin(); y != tile.rows().end(); ++y)
      for (int x = tile.cols().begin(); x != tile.cols().end(); ++x) image[y * n + x] = x + y;
  });
  return image[3 * n + 4] == 7;
}

}  // namespace

int main() {
  bool const right = elements() && steps() && growing_work() && grain() && nested() && progress() && sum() &&
                     place_of_the_smallest() && same_sum_each_time() && histogram() && collected() && sorted() &&
                     tiles();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
