// SPDX-License-Identifier: Apache-2.0
// Convex hull by quickhull (Eddy 1977): the farthest point from a line is on the hull, the points outside the two new
// lines are gathered and both sides are solved by parallel_invoke; the farthest point is a parallel_reduce.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

struct point {
  double x, y;
  friend bool operator<(point const& a, point const& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }
  friend bool operator==(point const& a, point const& b) { return a.x == b.x && a.y == b.y; }
};

// Twice the area of the triangle a, b, p; positive if p lies left of the line from a to b.
double side(point const& a, point const& b, point const& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

using points = std::vector<point>;

class convex_hull {
 public:
  explicit convex_hull(double scale) : all_(programs::scaled(scale, 3000000, 3000)) {
    programs::random_stream random(17);
    for (point& p : all_) {
      do {
        p = {random.between(-1, 1), random.between(-1, 1)};
      } while (p.x * p.x + p.y * p.y > 1);
      // Most points near the rim, so that few are thrown away early.
      double const r = std::sqrt(p.x * p.x + p.y * p.y), wanted = std::pow(r, 0.05);
      p = {p.x / r * wanted, p.y / r * wanted};
    }
  }

  void work() {
    auto const extremes = tbb::parallel_reduce(
        range(0, all_.size()), std::pair<point, point>(all_[0], all_[0]),
        [this](range const& r, std::pair<point, point> found) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) {
            found = {std::min(found.first, all_[i]), std::max(found.second, all_[i])};
          }
          return found;
        },
        [](auto const& a, auto const& b) {
          return std::pair<point, point>(std::min(a.first, b.first), std::max(a.second, b.second));
        });
    point const left = extremes.first, right = extremes.second;
    points above, below, upper, lower;
    tbb::parallel_invoke([&] { above = outside(all_, left, right); }, [&] { below = outside(all_, right, left); });
    tbb::parallel_invoke([&] { upper = chain(above, left, right); }, [&] { lower = chain(below, right, left); });
    hull_.assign(1, left);
    hull_.insert(hull_.end(), upper.begin(), upper.end());
    hull_.push_back(right);
    hull_.insert(hull_.end(), lower.begin(), lower.end());
  }

  char const* wrong() const {
    std::size_t const n = hull_.size();
    double area = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (side(hull_[i], hull_[(i + 1) % n], hull_[(i + 2) % n]) >= 0) return "the hull is not convex";
      area += hull_[i].x * hull_[(i + 1) % n].y - hull_[(i + 1) % n].x * hull_[i].y;
    }
    // Points far inside decide nothing: the chain runs over those of the rim.
    points rim;
    for (point const& p : all_) {
      if (p.x * p.x + p.y * p.y > 0.995) rim.push_back(p);
    }
    points const expected = monotone_chain(rim);
    double other = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      point const &a = expected[i], &b = expected[(i + 1) % expected.size()];
      other += a.x * b.y - b.x * a.y;
    }
    return n == expected.size() && std::fabs(-area - other) < 1e-9 ? nullptr : "another hull than the serial one";
  }

 private:
  using range = tbb::blocked_range<std::size_t>;
  static constexpr std::size_t block = 8192;

  // The points left of the line, block by block in their order.
  static points outside(points const& from, point const& a, point const& b) {
    std::size_t const blocks = (from.size() + block - 1) / block;
    std::vector<points> parts(blocks);
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t k) {
      for (std::size_t i = k * block; i < std::min(from.size(), (k + 1) * block); ++i) {
        if (side(a, b, from[i]) > 0) parts[k].push_back(from[i]);
      }
    });
    points joined;
    std::size_t size = 0;
    for (points const& part : parts) size += part.size();
    joined.reserve(size);
    for (points const& part : parts) joined.insert(joined.end(), part.begin(), part.end());
    return joined;
  }

  static point farthest(points const& from, point const& a, point const& b) {
    std::size_t const found = tbb::parallel_reduce(
        range(0, from.size(), 1024), std::size_t{0},
        [&](range const& r, std::size_t best) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) best = farther(from, a, b, best, i);
          return best;
        },
        [&](std::size_t i, std::size_t k) { return farther(from, a, b, i, k); });
    return from[found];
  }
  static std::size_t farther(points const& from, point const& a, point const& b, std::size_t i, std::size_t k) {
    double const one = side(a, b, from[i]), other = side(a, b, from[k]);
    return other > one || (other == one && from[k] < from[i]) ? k : i;
  }

  // The hull between a and b, both left out, of points that all lie left of the line.
  static points chain(points const& from, point const& a, point const& b) {
    if (from.empty()) return {};
    point const far = farthest(from, a, b);
    points before, after;
    auto const first = [&] { before = chain(outside(from, a, far), a, far); };
    auto const second = [&] { after = chain(outside(from, far, b), far, b); };
    if (from.size() < 256) {
      first();
      second();
    } else {
      tbb::parallel_invoke(first, second);
    }
    before.push_back(far);
    before.insert(before.end(), after.begin(), after.end());
    return before;
  }

  static points monotone_chain(points from) {
    std::sort(from.begin(), from.end());
    points made;
    for (int pass = 0; pass < 2; ++pass) {
      std::size_t const start = made.size();
      for (point const& p : from) {
        while (made.size() >= start + 2 && side(made[made.size() - 2], made.back(), p) <= 0) made.pop_back();
        made.push_back(p);
      }
      made.pop_back();
      std::reverse(from.begin(), from.end());
    }
    return made;
  }

  points all_, hull_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<convex_hull>(argc, argv); }
