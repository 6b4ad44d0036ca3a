// SPDX-License-Identifier: Apache-2.0
// Examples of the reference's pages on algorithms, ranges and partitioners (docs/site/examples.py).
#include <tbb/blocked_nd_range.h>
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/parallel_do.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/parallel_while.h>
#include <tbb/partitioner.h>
#include <atomic>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

// Pages: tbb::parallel_for
bool squares() {
  std::vector<long> values(1000);
  tbb::parallel_for(std::size_t(0), values.size(), [&](std::size_t i) { values[i] = long(i) * long(i); });  // by index
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, values.size()),
                    [&](tbb::blocked_range<std::size_t> const& part) {
                      for (std::size_t i = part.begin(); i != part.end(); ++i) values[i] += 1;  // by parts
                    });
  return values[999] == 998002;
}

// Pages: tbb::blocked_range
bool parts_of_a_range() {
  std::atomic<long> sum{0};
  tbb::parallel_for(tbb::blocked_range<int>(0, 1000, 100),
                    [&](tbb::blocked_range<int> const& part) {  // parts of at most 100
                      long own = 0;
                      for (int i = part.begin(); i != part.end(); ++i) own += i;
                      sum += own;
                    });
  return sum == 499500;
}

// Pages: tbb::blocked_range2d
bool image() {
  constexpr int rows = 40, columns = 60;
  std::vector<int> pixels(rows * columns);
  tbb::parallel_for(tbb::blocked_range2d<int>(0, rows, 0, columns), [&](tbb::blocked_range2d<int> const& tile) {
    for (int y = tile.rows().begin(); y != tile.rows().end(); ++y) {
      for (int x = tile.cols().begin(); x != tile.cols().end(); ++x) pixels[y * columns + x] = x + y;
    }
  });
  return pixels[39 * columns + 59] == 98;
}

// Pages: tbb::blocked_range3d
bool volume() {
  std::vector<char> cells(8 * 9 * 10);
  tbb::parallel_for(tbb::blocked_range3d<int>(0, 8, 0, 9, 0, 10), [&](tbb::blocked_range3d<int> const& block) {
    for (int z = block.pages().begin(); z != block.pages().end(); ++z) {
      for (int y = block.rows().begin(); y != block.rows().end(); ++y) {
        for (int x = block.cols().begin(); x != block.cols().end(); ++x) cells[(z * 9 + y) * 10 + x] = 1;
      }
    }
  });
  return std::accumulate(cells.begin(), cells.end(), 0) == 720;
}

// Pages: tbb::blocked_nd_range, tbb::blocked_rangeNd
bool four_dimensions() {
  std::atomic<int> cells{0};
  using range = tbb::blocked_nd_range<int, 4>;
  tbb::parallel_for(range({0, 3}, {0, 4}, {0, 5}, {0, 6}), [&](range const& block) {
    std::size_t size = 1;
    for (unsigned dimension = 0; dimension < 4; ++dimension) size *= block.dim(dimension).size();
    cells += int(size);
  });
  return cells == 360;
}

// Pages: tbb::parallel_reduce
bool sum() {
  std::vector<double> const values(1000, 0.5);
  using range = tbb::blocked_range<std::size_t>;
  double const sum = tbb::parallel_reduce(
      range(0, values.size()), 0.0,
      [&](range const& part, double before) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) before += values[i];
        return before;
      },
      std::plus<>());
  return sum == 500;
}

// Pages: tbb::parallel_deterministic_reduce
bool same_sum_each_time() {
  std::vector<float> const values(1000, 0.1F);
  using range = tbb::blocked_range<std::size_t>;
  auto const add = [&](range const& part, float before) {
    return std::accumulate(values.begin() + long(part.begin()), values.begin() + long(part.end()), before);
  };
  float const once = tbb::parallel_deterministic_reduce(range(0, values.size(), 100), 0.0F, add, std::plus<>());
  float const again = tbb::parallel_deterministic_reduce(range(0, values.size(), 100), 0.0F, add, std::plus<>());
  return once == again;  // bit by bit, with any number of threads
}

// Pages: tbb::parallel_scan, tbb::pre_scan_tag, tbb::final_scan_tag
bool running_sums() {
  std::vector<int> const values(1000, 2);
  std::vector<int> sums(values.size());
  using range = tbb::blocked_range<std::size_t>;
  int const total = tbb::parallel_scan(
      range(0, values.size()), 0,
      [&](range const& part, int before, bool is_final) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) {
          before += values[i];
          if (is_final) sums[i] = before;  // the first pass over a part only adds up
        }
        return before;
      },
      std::plus<>());
  return total == 2000 && sums[499] == 1000;
}

// Pages: tbb::parallel_sort
bool sorted() {
  std::vector<std::string> names{"pear", "fig", "plum", "apple"};
  tbb::parallel_sort(names);
  tbb::parallel_sort(names.begin(), names.end(),
                     [](std::string const& a, std::string const& b) { return a.size() < b.size(); });
  return names.front() == "fig" && names.back() == "apple";
}

// Pages: tbb::parallel_invoke
bool both() {
  int left = 0, right = 0;
  tbb::parallel_invoke([&] { left = 1; }, [&] { right = 2; });
  return left + right == 3;
}

// Pages: tbb::parallel_for_each, tbb::feeder
bool tree() {
  std::atomic<int> visited{0};
  std::vector<int> const roots{1};
  tbb::parallel_for_each(roots.begin(), roots.end(), [&](int node, tbb::feeder<int>& more) {
    ++visited;
    if (node < 64) {
      more.add(2 * node);
      more.add(2 * node + 1);
    }
  });
  return visited == 127;
}

// Pages: tbb::parallel_do, tbb::parallel_do_feeder
bool tree_as_in_classic_tbb() {
  std::atomic<int> visited{0};
  std::vector<int> const roots{1};
  tbb::parallel_do(roots.begin(), roots.end(), [&](int node, tbb::parallel_do_feeder<int>& more) {
    ++visited;
    if (node < 64) more.add(2 * node);
  });
  return visited == 7;
}

// Pages: tbb::parallel_while
struct countdown {
  using argument_type = int;
  void operator()(int) const { ++*called; }

  std::atomic<int>* called;
};

struct numbers {
  bool pop_if_present(int& item) { return (item = left--) > 0; }

  int left;
};

bool stream() {
  std::atomic<int> called{0};
  numbers source{100};
  tbb::parallel_while<countdown>().run(source, countdown{&called});
  return called == 100;
}

// Pages: tbb::parallel_pipeline, tbb::make_filter, tbb::filter_mode, tbb::flow_control, tbb::filter
bool squares_in_order() {
  int next = 0;
  std::vector<int> out;
  tbb::parallel_pipeline(
      8,  // items at once
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (next == 100) control.stop();
        return next++;
      }) & tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int item) {
        return item * item;
      }) & tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int item) { out.push_back(item); }));
  return out.size() == 100 && out[9] == 81;
}

// Pages: tbb::auto_partitioner, tbb::simple_partitioner, tbb::static_partitioner
bool partitioners() {
  std::vector<int> values(1000);
  auto const add = [&](tbb::blocked_range<int> const& part) {
    for (int i = part.begin(); i != part.end(); ++i) ++values[std::size_t(i)];
  };
  tbb::parallel_for(tbb::blocked_range<int>(0, 1000), add,
                    tbb::auto_partitioner());  // the default: as many parts as idle threads want
  tbb::parallel_for(tbb::blocked_range<int>(0, 1000, 50), add,
                    tbb::simple_partitioner());  // down to the grain size, always
  tbb::parallel_for(tbb::blocked_range<int>(0, 1000), add,
                    tbb::static_partitioner());  // one equal part for each thread
  return values[0] == 3 && values[999] == 3;
}

// Pages: tbb::affinity_partitioner
bool same_data_on_the_same_thread() {
  std::vector<double> values(1000, 1);
  tbb::affinity_partitioner places;  // outside of the loop: it remembers
  for (int step = 0; step < 10; ++step) {
    tbb::parallel_for(std::size_t(0), values.size(), [&](std::size_t i) { values[i] += 0.5; }, places);
  }
  return values[999] == 6;
}

// Pages: tbb::split, tbb::proportional_split
class odd_numbers {
 public:
  odd_numbers(int first, int count) : first_(first), count_(count) {}
  odd_numbers(odd_numbers& other, tbb::split)
      : first_(other.first_ + 2 * (other.count_ / 2)), count_(other.count_ - other.count_ / 2) {
    other.count_ /= 2;  // it keeps its first half
  }

  bool empty() const { return count_ == 0; }
  bool is_divisible() const { return count_ > 10; }
  int first() const { return first_; }
  int count() const { return count_; }

 private:
  int first_, count_;
};

bool own_range() {
  std::atomic<int> sum{0};
  tbb::parallel_for(odd_numbers(1, 100), [&](odd_numbers const& part) {
    for (int i = 0; i < part.count(); ++i) sum += part.first() + 2 * i;
  });
  return sum == 10000;
}

}  // namespace

int main() {
  bool const right = squares() && parts_of_a_range() && image() && volume() && four_dimensions() && sum() &&
                     same_sum_each_time() && running_sums() && sorted() && both() && tree() &&
                     tree_as_in_classic_tbb() && stream() && squares_in_order() && partitioners() &&
                     same_data_on_the_same_thread() && own_range();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
