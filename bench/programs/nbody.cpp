// SPDX-License-Identifier: Apache-2.0
// Gravitation by an octree (Barnes and Hut 1986): in each step the bounding cube by parallel_reduce, the tree by a
// recursive task_group, forces by a parallel_for over the bodies with an affinity_partitioner.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace {

struct vec {
  double x = 0, y = 0, z = 0;
  vec& operator+=(vec const& o) {
    x += o.x;
    y += o.y;
    z += o.z;
    return *this;
  }
  friend vec operator*(double f, vec const& v) { return {f * v.x, f * v.y, f * v.z}; }
  friend vec operator-(vec const& a, vec const& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
};
double dot(vec const& a, vec const& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

constexpr double softening = 1e-4, opening = 0.6, mass = 1.0;

vec pull(vec const& from, vec const& to, double its_mass) {
  vec const d = to - from;
  double const r2 = dot(d, d) + softening, r = std::sqrt(r2);
  return (its_mass / (r2 * r)) * d;
}

struct cell {
  vec centre_of_mass;
  double total = 0, edge = 0;
  std::size_t begin = 0, end = 0;  // bodies, in the order of the tree
  std::array<std::unique_ptr<cell>, 8> children;
  bool leaf = true;
};

class nbody {
 public:
  explicit nbody(double scale)
      : bodies_(programs::scaled(scale, 15000, 500)), speeds_(bodies_.size()), forces_(bodies_.size()) {
    programs::random_stream random(37);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      // Plummer's sphere, the farthest bodies left out.
      double const r = std::min(5.0, 1 / std::sqrt(std::pow(random.between(0.001, 1), -2.0 / 3) - 1 + 1e-9));
      double const z = random.between(-1, 1), angle = random.between(0, 6.283185307), s = std::sqrt(1 - z * z);
      bodies_[i] = {r * s * std::cos(angle), r * s * std::sin(angle), r * z};
    }
  }

  void work() {
    tbb::affinity_partitioner shares;
    for (int step = 0; step < steps; ++step) {
      make_tree();
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, bodies_.size(), 16),
          [this](tbb::blocked_range<std::size_t> const& r) {
            for (std::size_t i = r.begin(); i != r.end(); ++i) {
              forces_[i] = {};
              add_force(*root_, bodies_[i], forces_[i]);
            }
          },
          shares);
      if (step + 1 < steps) move();
    }
  }

  // The forces of the last step, against direct sums; all together they nearly vanish, since action is reaction.
  char const* wrong() const {
    vec sum;
    double size = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      sum += forces_[i];
      size += std::sqrt(dot(forces_[i], forces_[i]));
    }
    if (!(std::sqrt(dot(sum, sum)) < 5e-3 * size)) return "momentum";
    for (std::size_t i = 0; i < bodies_.size(); i += bodies_.size() / 40) {
      vec exact;
      for (vec const& other : bodies_) exact += pull(bodies_[i], other, mass);
      vec const error = forces_[i] - exact;
      if (!(dot(error, error) < 0.01 * dot(exact, exact) + 1)) return "force on a body";
    }
    return count(*root_) == bodies_.size() ? nullptr : "bodies in the tree";
  }

 private:
  static constexpr int steps = 6;
  static constexpr std::size_t leaf_size = 8;

  struct cube {
    vec low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
    void hold(vec const& v) {
      low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
      high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
    }
  };

  void make_tree() {
    using range = tbb::blocked_range<std::size_t>;
    cube const all = tbb::parallel_reduce(
        range(0, bodies_.size(), 512), cube(),
        [this](range const& r, cube c) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) c.hold(bodies_[i]);
          return c;
        },
        [](cube a, cube const& b) {
          a.hold(b.low);
          a.hold(b.high);
          return a;
        });
    vec const size = all.high - all.low;
    root_.reset(new cell);
    root_->end = bodies_.size();
    root_->edge = std::max({size.x, size.y, size.z});
    build(*root_, all.low, 0);
  }

  // Sorts the cell's bodies into octants, and these as far as they hold more than a leaf. Bodies change places together
  // with their speeds.
  void build(cell& c, vec const& low, int depth) {
    if (c.end - c.begin > leaf_size && depth < 40) {
      c.leaf = false;
      split(c, low, depth);
    }
    for (auto const& child : c.children) {
      if (!child) continue;
      c.total += child->total;
      c.centre_of_mass += child->total * child->centre_of_mass;
    }
    for (std::size_t i = c.begin; c.leaf && i < c.end; ++i) {
      c.total += mass;
      c.centre_of_mass += mass * bodies_[i];
    }
    c.centre_of_mass = (1 / c.total) * c.centre_of_mass;
  }

  void split(cell& c, vec const& low, int depth) {
    double const half = c.edge / 2;
    auto const octant = [&](vec const& v) {
      return (v.x >= low.x + half) + 2U * (v.y >= low.y + half) + 4U * (v.z >= low.z + half);
    };
    std::size_t at = c.begin;
    tbb::task_group parts;
    for (unsigned k = 0; k < 8; ++k) {
      std::size_t const begin = at;
      for (std::size_t i = at; i < c.end; ++i) {
        if (octant(bodies_[i]) != k) continue;
        std::swap(bodies_[i], bodies_[at]);
        std::swap(speeds_[i], speeds_[at]);
        ++at;
      }
      if (at == begin) continue;
      c.children[k].reset(new cell);
      cell& child = *c.children[k];
      child.begin = begin;
      child.end = at;
      child.edge = half;
      vec const corner{low.x + (k & 1U) * half, low.y + (k >> 1 & 1U) * half, low.z + (k >> 2) * half};
      if (at - begin > 200) {
        parts.run([this, &child, corner, depth] { build(child, corner, depth + 1); });
      } else {
        build(child, corner, depth + 1);
      }
    }
    parts.wait();
  }

  void add_force(cell const& c, vec const& on, vec& force) const {
    vec const d = c.centre_of_mass - on;
    if (c.edge * c.edge < opening * opening * dot(d, d)) {
      force += pull(on, c.centre_of_mass, c.total);
    } else if (c.leaf) {
      for (std::size_t i = c.begin; i < c.end; ++i) force += pull(on, bodies_[i], mass);
    } else {
      for (auto const& child : c.children) {
        if (child) add_force(*child, on, force);
      }
    }
  }

  void move() {
    tbb::parallel_for(std::size_t{0}, bodies_.size(), [this](std::size_t i) {
      speeds_[i] += 1e-6 * forces_[i];
      bodies_[i] += 1e-2 * speeds_[i];
    });
  }

  static std::size_t count(cell const& c) {
    std::size_t n = c.leaf ? c.end - c.begin : 0;
    for (auto const& child : c.children) n += child ? count(*child) : 0;
    return n;
  }

  std::vector<vec> bodies_, speeds_, forces_;
  std::unique_ptr<cell> root_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<nbody>(argc, argv); }
