// SPDX-License-Identifier: Apache-2.0
// Clusters a stream of points, chunk by chunk: k-median by local search on facility location, as in O'Callaghan,
// Mishra, Meyerson, Guha, Motwani, "Streaming-data algorithms for high-quality clustering" (2002), section 3. The gain
// of a new centre is found by a task_list, points move by parallel_for, costs are summed by parallel_reduce; shared
// data comes from cache_aligned_allocator. Coordinates and weights are whole numbers, so that sums are exact and no
// division of the work changes a decision.
#include "common/library.h"

#if KERNEL_CLASSIC_TASKS

#include "common/random.h"
#include "common/study.h"

#include <tbb/blocked_range.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace study {
namespace {

struct parameters {
  std::size_t points, chunk, dimensions;
  std::size_t least_centres, most_centres;
  std::size_t tasks, grain;  // tasks of a task_list; points per piece of a parallel_for
};
constexpr parameters sizes[] = {{512, 256, 8, 10, 20, 16, 32},
                                {4096, 4096, 32, 10, 20, 16, 128},
                                {8192, 8192, 64, 10, 20, 16, 128},
                                {16384, 16384, 128, 10, 20, 16, 128},
                                {200000, 50000, 128, 10, 20, 16, 256}};

template <typename T>
using shared_vector = std::vector<T, tbb::cache_aligned_allocator<T>>;

struct point_set {
  std::size_t dimensions;
  shared_vector<float> coordinates;
  shared_vector<double> weights;
  std::size_t size() const { return weights.size(); }
  float const* at(std::size_t i) const { return &coordinates[i * dimensions]; }
  void add(float const* p, double weight) {
    coordinates.insert(coordinates.end(), p, p + dimensions);
    weights.push_back(weight);
  }
};

// Exact: at most 128 squares of whole numbers below 256 stay below 2^24.
float squared_distance(float const* a, float const* b, std::size_t dimensions) {
  float sum = 0;
  for (std::size_t i = 0; i < dimensions; ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

// How loops over points run: work(begin, end) for pieces of [0, n); for_blocks(n, blocks, work) with work(block, begin,
// end); sum(n, value).
struct serially {
  template <typename Work>
  void for_range(std::size_t n, Work const& work) const {
    work(std::size_t{0}, n);
  }
  template <typename Work>
  void for_blocks(std::size_t n, std::size_t blocks, Work const& work) const {
    for (std::size_t b = 0; b < blocks; ++b) {
      work(b, n * b / blocks, n * (b + 1) / blocks);
    }
  }
  template <typename Value>
  double sum(std::size_t n, Value const& value) const {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      total += value(i);
    }
    return total;
  }
};

template <typename Work>
class block_task : public tbb::task {
 public:
  block_task(Work const& work, std::size_t block, std::size_t begin, std::size_t end)
      : work_(work), block_(block), begin_(begin), end_(end) {}
  tbb::task* execute() override {
    work_(block_, begin_, end_);
    return nullptr;
  }

 private:
  Work const& work_;
  std::size_t const block_, begin_, end_;
};

struct by_tasks {
  using range = tbb::blocked_range<std::size_t>;
  std::size_t grain;

  template <typename Work>
  void for_range(std::size_t n, Work const& work) const {
    tbb::parallel_for(range(0, n, grain), [&](range const& r) { work(r.begin(), r.end()); });
  }
  template <typename Work>
  void for_blocks(std::size_t n, std::size_t blocks, Work const& work) const {
    tbb::task_list list;
    for (std::size_t b = 0; b < blocks; ++b) {
      list.push_back(*new (tbb::task::allocate_root()) block_task<Work>(work, b, n * b / blocks, n * (b + 1) / blocks));
    }
    tbb::task::spawn_root_and_wait(list);
  }
  template <typename Value>
  double sum(std::size_t n, Value const& value) const {
    return tbb::parallel_reduce(
        range(0, n, grain), 0.0,
        [&](range const& r, double total) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) {
            total += value(i);
          }
          return total;
        },
        [](double a, double b) { return a + b; });
  }
};

// Centres for one set of points.
template <typename How>
class local_search {
 public:
  local_search(point_set const& points, parameters const& p, How how, std::uint64_t seed)
      : points_(points),
        p_(p),
        how_(how),
        seed_(seed),
        assigned_(points.size()),
        cost_(points.size()),
        moves_(points.size()) {}

  // Looks for the price of a centre at which there are neither too few nor too many of them.
  void run() {
    std::size_t const n = points_.size();
    if (n <= p_.most_centres) {
      return each_its_own();
    }
    double least = 0, most = how_.sum(n, [&](std::size_t i) { return distance(i, 0); });
    while (most - least > 1) {
      double const price = std::floor((least + most) / 2);
      open_online(price);
      improve(price);
      if (centres_.size() < p_.least_centres) {
        most = price;
      } else if (centres_.size() > p_.most_centres) {
        least = price;
      } else {
        return;
      }
    }
  }
  std::vector<std::size_t> const& centres() const { return centres_; }
  std::size_t centre_of(std::size_t i) const { return assigned_[i]; }
  double total_cost() const {
    return how_.sum(points_.size(), [&](std::size_t i) { return cost_[i]; });
  }

 private:
  double distance(std::size_t i, std::size_t j) const {
    return points_.weights[i] * static_cast<double>(squared_distance(points_.at(i), points_.at(j), points_.dimensions));
  }
  void each_its_own() {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      centres_.push_back(i);
      assigned_[i] = i;
    }
  }
  // Meyerson 2001: a point becomes a centre with a probability of its cost / the price of a centre.
  void open_online(double price) {
    centres_.clear();
    std::fill(cost_.begin(), cost_.end(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (cost_[i] > price * uniform(seed_, i)) {
        centres_.push_back(i);
        how_.for_range(points_.size(), [&, i](std::size_t begin, std::size_t end) {
          for (std::size_t k = begin; k < end; ++k) {
            double const d = distance(k, i);
            if (d < cost_[k]) {
              cost_[k] = d;
              assigned_[k] = i;
            }
          }
        });
      }
    }
  }
  // Tries random points as centres until several rounds gain next to nothing.
  void improve(double price) {
    auto const tries = static_cast<std::size_t>(3 * std::log(static_cast<double>(p_.most_centres)) *
                                                static_cast<double>(p_.most_centres));
    double gained, total = total_cost() + price * static_cast<double>(centres_.size());
    std::uint64_t draw = 0;
    do {
      gained = 0;
      for (std::size_t t = 0; t < tries; ++t) {
        gained += gain(random_bits(seed_ + 1, draw++) % points_.size(), price);
      }
      total -= gained;
    } while (gained > 0.01 * total);
  }
  // Opens a centre at x, and closes those that it makes superfluous, if the whole becomes cheaper; what that saves.
  double gain(std::size_t x, double price) {
    if (assigned_[x] == x) {
      return 0;
    }
    number_centres();
    std::size_t const k = centres_.size(), stride = (k + 1 + 15) / 16 * 16;
    sums_.assign(stride * p_.tasks, 0);
    how_.for_blocks(points_.size(), p_.tasks, [&](std::size_t block, std::size_t begin, std::size_t end) {
      double* const sums = &sums_[block * stride];
      for (std::size_t i = begin; i < end; ++i) {
        double const change = distance(i, x) - cost_[i];
        moves_[i] = change < 0;
        sums[change < 0 ? k : number_[assigned_[i]]] += change;
      }
    });
    double total = -price;
    std::vector<char> closes(k);
    for (std::size_t c = 0; c <= k; ++c) {
      double sum = 0;
      for (std::size_t b = 0; b < p_.tasks; ++b) {
        sum += sums_[b * stride + c];
      }
      if (c == k) {
        total -= sum;
      } else if (sum < price) {
        closes[c] = true;
        total += price - sum;
      }
    }
    if (total <= 0) {
      return 0;
    }
    move_to(x, closes);
    return total;
  }
  void number_centres() {
    number_.resize(points_.size());
    for (std::size_t c = 0; c < centres_.size(); ++c) {
      number_[centres_[c]] = c;
    }
  }
  void move_to(std::size_t x, std::vector<char> const& closes) {
    how_.for_range(points_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (moves_[i] || closes[number_[assigned_[i]]]) {
          cost_[i] = distance(i, x);
          assigned_[i] = x;
        }
      }
    });
    std::vector<std::size_t> stay;
    for (std::size_t c = 0; c < centres_.size(); ++c) {
      if (!closes[c]) {
        stay.push_back(centres_[c]);
      }
    }
    stay.push_back(x);
    centres_ = std::move(stay);
  }

  point_set const& points_;
  parameters const& p_;
  How const how_;
  std::uint64_t const seed_;
  shared_vector<std::size_t> assigned_, number_;
  shared_vector<double> cost_, sums_;
  shared_vector<char> moves_;
  std::vector<std::size_t> centres_;
};

struct stream {
  explicit stream(parameters const& size)
      : p(size), points{p.dimensions, {}, {}}, result{p.dimensions, {}, {}}, expected{p.dimensions, {}, {}} {
    std::size_t const groups = 15;
    std::vector<float> point(p.dimensions);
    for (std::size_t i = 0; i < p.points; ++i) {
      std::size_t const group = random_bits(40, i) % groups;
      for (std::size_t d = 0; d < p.dimensions; ++d) {
        auto const centre = 32 + random_bits(41 + group, d) % 192;
        point[d] = static_cast<float>(centre + random_bits(60, i * p.dimensions + d) % 24);
      }
      points.add(point.data(), 1);
    }
  }
  // Each chunk leaves its centres, weighted with how many points they stand for; they are clustered in the end.
  template <typename How>
  void cluster(How how) {
    point_set left{p.dimensions, {}, {}};
    for (std::size_t first = 0; first < p.points; first += p.chunk) {
      point_set chunk{p.dimensions, {}, {}};
      for (std::size_t i = first; i < std::min(first + p.chunk, p.points); ++i) {
        chunk.add(points.at(i), 1);
      }
      add_centres(chunk, left, how, 70 + first);
    }
    result = point_set{p.dimensions, {}, {}};
    add_centres(left, result, how, 69);
  }
  template <typename How>
  void add_centres(point_set const& from, point_set& to, How how, std::uint64_t seed) {
    local_search<How> search(from, p, how, seed);
    search.run();
    std::vector<double> weights(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      weights[search.centre_of(i)] += from.weights[i];
    }
    for (std::size_t c : search.centres()) {
      to.add(from.at(c), weights[c]);
    }
  }
  double cost_with(point_set const& centres) const {
    return serially().sum(points.size(), [&](std::size_t i) {
      float best = std::numeric_limits<float>::infinity();
      for (std::size_t c = 0; c < centres.size(); ++c) {
        best = std::min(best, squared_distance(points.at(i), centres.at(c), p.dimensions));
      }
      return static_cast<double>(best);
    });
  }
  // No point is lost, and the centres cost less than half of what as many points from the beginning of the stream
  // would.
  bool is_good() const {
    point_set first{p.dimensions, {}, {}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      first.add(points.at(i), 1);
    }
    double weight = 0;
    for (double w : expected.weights) {
      weight += w;
    }
    return weight == static_cast<double>(p.points) && expected.size() <= p.most_centres &&
           cost_with(expected) < 0.5 * cost_with(first);
  }

  parameters const p;
  point_set points, result, expected;
};

}  // namespace

problem streamcluster(size_class s) {
  auto const all = std::make_shared<stream>(of(sizes, s));
  problem p;
  p.serial = [all] {
    all->cluster(serially());
    all->expected = all->result;
  };
  p.tasks = [all] { all->cluster(by_tasks{all->p.grain}); };
  p.right = [all] {
    return all->result.coordinates == all->expected.coordinates && all->result.weights == all->expected.weights;
  };
  p.plausible = [all] { return all->is_good(); };
  return p;
}

}  // namespace study

#endif
