// SPDX-License-Identifier: Apache-2.0
// A kd-tree (Bentley 1975) over points, built by a recursive task_group, and the nearest neighbours of every point by a
// parallel_for. The tree is the array of points itself: the median of each part stands in its middle.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

struct point {
  std::array<float, 3> at;
  std::uint32_t number;
};

float square(point const& a, point const& b) {
  float sum = 0;
  for (std::size_t d = 0; d < 3; ++d) sum += (a.at[d] - b.at[d]) * (a.at[d] - b.at[d]);
  return sum;
}

// The smallest distances seen so far, ascending.
struct nearest {
  static constexpr std::size_t wanted = 4;
  std::array<float, wanted> distance;
  std::array<std::uint32_t, wanted> number;

  nearest() {
    distance.fill(1e30F);
    number.fill(~0U);
  }
  void offer(float d, std::uint32_t n) {
    if (d >= distance.back()) return;
    std::size_t k = wanted - 1;
    for (; k != 0 && distance[k - 1] > d; --k) {
      distance[k] = distance[k - 1];
      number[k] = number[k - 1];
    }
    distance[k] = d;
    number[k] = n;
  }
};

class kd_tree {
 public:
  explicit kd_tree(double scale) : points_(programs::scaled(scale, 350000, 2000)), found_(points_.size()) {
    programs::random_stream random(19);
    std::vector<std::array<float, 3>> middles(200);
    for (auto& m : middles) {
      for (float& x : m) x = static_cast<float>(random.between(-1, 1));
    }
    for (std::uint32_t i = 0; i < points_.size(); ++i) {
      auto const& m = middles[random.below(middles.size())];
      double const spread = random.between(0, 0.1);
      for (std::size_t d = 0; d < 3; ++d) {
        points_[i].at[d] = m[d] + static_cast<float>(spread * (random.unit() + random.unit() - 1));
      }
      points_[i].number = i;
    }
    given_ = points_;
  }

  void work() {
    build(0, points_.size(), 0);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, points_.size(), 64),
                      [this](tbb::blocked_range<std::size_t> const& r) {
                        for (std::size_t i = r.begin(); i != r.end(); ++i) {
                          nearest best;
                          search(0, points_.size(), 0, points_[i], best);
                          found_[points_[i].number] = best;
                        }
                      });
  }

  char const* wrong() const {
    if (!ordered(0, points_.size(), 0)) return "order of the tree";
    std::vector<bool> there(points_.size());
    for (point const& p : points_) there[p.number] = true;
    if (std::find(there.begin(), there.end(), false) != there.end()) return "a point is lost";
    for (std::size_t i = 0; i < given_.size(); i += given_.size() / 100) {
      nearest best;
      for (point const& p : given_) {
        if (p.number != i) best.offer(square(p, given_[i]), p.number);
      }
      if (best.distance != found_[i].distance) return "neighbours";
    }
    return nullptr;
  }

 private:
  void build(std::size_t begin, std::size_t end, std::size_t axis) {
    if (end - begin < 2) return;
    std::size_t const middle = begin + (end - begin) / 2;
    auto const at = [this](std::size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end),
                     [axis](point const& a, point const& b) { return a.at[axis] < b.at[axis]; });
    std::size_t const next = (axis + 1) % 3;
    if (end - begin < 256) {
      build(begin, middle, next);
      build(middle + 1, end, next);
      return;
    }
    tbb::task_group sides;
    sides.run([=] { build(begin, middle, next); });
    build(middle + 1, end, next);
    sides.wait();
  }

  void search(std::size_t begin, std::size_t end, std::size_t axis, point const& from, nearest& best) const {
    if (begin == end) return;
    std::size_t const middle = begin + (end - begin) / 2;
    point const& p = points_[middle];
    float const beyond = from.at[axis] - p.at[axis];
    std::size_t const next = (axis + 1) % 3;
    if (p.number != from.number) best.offer(square(p, from), p.number);
    if (beyond < 0) {
      search(begin, middle, next, from, best);
      if (beyond * beyond < best.distance.back()) search(middle + 1, end, next, from, best);
    } else {
      search(middle + 1, end, next, from, best);
      if (beyond * beyond < best.distance.back()) search(begin, middle, next, from, best);
    }
  }

  bool ordered(std::size_t begin, std::size_t end, std::size_t axis) const {
    if (end - begin < 2) return true;
    std::size_t const middle = begin + (end - begin) / 2;
    for (std::size_t i = begin; i < end; ++i) {
      if (i < middle ? points_[i].at[axis] > points_[middle].at[axis]
                     : points_[i].at[axis] < points_[middle].at[axis]) {
        return false;
      }
    }
    return ordered(begin, middle, (axis + 1) % 3) && ordered(middle + 1, end, (axis + 1) % 3);
  }

  std::vector<point> points_, given_;
  std::vector<nearest> found_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<kd_tree>(argc, argv); }
