// SPDX-License-Identifier: Apache-2.0
#include "ray_tracer/bvh.h"

#include <algorithm>
#include <array>
#include <limits>

namespace kernels::ray {
namespace {

constexpr int bins = 16;
constexpr std::uint32_t leaf_size = 4;
// Below this depth nodes are split in the middle of their primitives, which bounds the tree's depth and with it
// the stack of a traversal.
constexpr int most_sah_depth = 32;
constexpr int stack_size = 80;

struct box {
  vec3 low{std::numeric_limits<float>::max(), std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};
  vec3 high{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::lowest(),
            std::numeric_limits<float>::lowest()};

  void grow(vec3 p) {
    low = min(low, p);
    high = max(high, p);
  }
  void grow(box const& b) {
    low = min(low, b.low);
    high = max(high, b.high);
  }
  float area() const {
    vec3 const d = high - low;
    return d.x < 0 ? 0 : d.x * d.y + d.y * d.z + d.z * d.x;
  }
};

// Zero becomes a huge number, not infinity: infinity times zero would be a NaN for a ray within a box's face.
vec3 inverted(vec3 d) {
  auto const one = [](float v) { return 1.0f / (std::fabs(v) < 1e-20f ? std::copysign(1e-20f, v) : v); };
  return {one(d.x), one(d.y), one(d.z)};
}

bool sphere_hit(sphere const& s, ray3 const& r, float greatest, hit& h) {
  vec3 const to_centre = s.centre - r.origin;
  float const middle = dot(to_centre, r.direction);
  // Distance of the centre from the ray; computed from the closest point, which keeps its digits for far spheres.
  vec3 const across = to_centre - r.direction * middle;
  float const half_squared = s.radius * s.radius - dot(across, across);
  if (half_squared < 0) {
    return false;
  }
  float const half = std::sqrt(half_squared);
  float t = middle - half;
  if (t <= r.least) {
    t = middle + half;
  }
  if (t <= r.least || t >= greatest) {
    return false;
  }
  h = {t, (r.origin + r.direction * t - s.centre) * (1.0f / s.radius), s.material};
  return true;
}

bool triangle_hit(triangle const& f, ray3 const& r, float greatest, hit& h) {
  vec3 const p = cross(r.direction, f.edge2);
  float const determinant = dot(f.edge1, p);
  if (std::fabs(determinant) < 1e-12f) {
    return false;
  }
  float const inverse = 1.0f / determinant;
  vec3 const from_a = r.origin - f.a;
  float const u = dot(from_a, p) * inverse;
  if (u < 0 || u > 1) {
    return false;
  }
  vec3 const q = cross(from_a, f.edge1);
  float const v = dot(r.direction, q) * inverse;
  float const t = dot(f.edge2, q) * inverse;
  if (v < 0 || u + v > 1 || t <= r.least || t >= greatest) {
    return false;
  }
  h = {t, normalized(f.normal_a * (1 - u - v) + f.normal_b * u + f.normal_c * v), f.material};
  return true;
}

}  // namespace

class bvh_builder {
 public:
  bvh_builder(bvh& tree, scene const& s) : tree_(tree), scene_(s) {
    for (std::uint32_t i = 0; i < s.spheres.size(); ++i) {
      sphere const& b = s.spheres[i];
      vec3 const r{b.radius, b.radius, b.radius};
      items_.push_back({{b.centre - r, b.centre + r}, b.centre, {true, i}});
    }
    for (std::uint32_t i = 0; i < s.triangles.size(); ++i) {
      triangle const& f = s.triangles[i];
      box bounds;
      bounds.grow(f.a);
      bounds.grow(f.a + f.edge1);
      bounds.grow(f.a + f.edge2);
      items_.push_back({bounds, (bounds.low + bounds.high) * 0.5f, {false, i}});
    }
  }

  void build() {
    if (!items_.empty()) {
      build(0, static_cast<std::uint32_t>(items_.size()), 0);
    }
  }

 private:
  struct item {
    box bounds;
    vec3 centre;
    bvh::primitive what;
  };
  struct split {
    float cost = std::numeric_limits<float>::max();
    int axis = 0;
    int bin = 0;  // first of the right half
  };

  void build(std::uint32_t begin, std::uint32_t end, int depth) {
    box bounds, centres;
    for (std::uint32_t i = begin; i < end; ++i) {
      bounds.grow(items_[i].bounds);
      centres.grow(items_[i].centre);
    }
    std::uint32_t const count = end - begin;
    std::size_t const self = tree_.nodes_.size();
    tree_.nodes_.push_back({bounds.low, bounds.high, 0, 0, 0});
    split const s = best_split(begin, end, centres);
    float const leaf_cost = bounds.area() * static_cast<float>(count);
    if (count <= leaf_size && (count == 1 || s.cost >= leaf_cost)) {
      make_leaf(self, begin, end);
      return;
    }
    std::uint32_t const middle = partition(begin, end, centres, s, depth);
    tree_.nodes_[self].axis = static_cast<std::uint16_t>(s.axis);
    build(begin, middle, depth + 1);
    tree_.nodes_[self].first = static_cast<std::uint32_t>(tree_.nodes_.size());
    build(middle, end, depth + 1);
  }

  static int bin_of(vec3 centre, box const& centres, int axis) {
    float const extent = centres.high[axis] - centres.low[axis];
    float const place = (centre[axis] - centres.low[axis]) / extent;
    return std::clamp(static_cast<int>(place * bins), 0, bins - 1);
  }

  split best_split(std::uint32_t begin, std::uint32_t end, box const& centres) const {
    split best;
    for (int axis = 0; axis < 3; ++axis) {
      if (!(centres.high[axis] > centres.low[axis])) {
        continue;
      }
      std::array<box, bins> bounds;
      std::array<std::uint32_t, bins> counts{};
      for (std::uint32_t i = begin; i < end; ++i) {
        auto const b = static_cast<std::size_t>(bin_of(items_[i].centre, centres, axis));
        bounds[b].grow(items_[i].bounds);
        ++counts[b];
      }
      std::array<float, bins> right_cost{};
      box right;
      std::uint32_t right_count = 0;
      for (int b = bins - 1; b > 0; --b) {
        right.grow(bounds[static_cast<std::size_t>(b)]);
        right_count += counts[static_cast<std::size_t>(b)];
        right_cost[static_cast<std::size_t>(b)] = right.area() * static_cast<float>(right_count);
      }
      box left;
      std::uint32_t left_count = 0;
      for (int b = 1; b < bins; ++b) {
        left.grow(bounds[static_cast<std::size_t>(b) - 1]);
        left_count += counts[static_cast<std::size_t>(b) - 1];
        float const cost = left.area() * static_cast<float>(left_count) + right_cost[static_cast<std::size_t>(b)];
        if (cost < best.cost) {
          best = {cost, axis, b};
        }
      }
    }
    return best;
  }

  std::uint32_t partition(std::uint32_t begin, std::uint32_t end, box const& centres, split const& s, int depth) {
    auto const first = items_.begin() + begin, last = items_.begin() + end;
    auto middle = first;
    if (s.bin > 0 && depth < most_sah_depth) {
      middle = std::partition(first, last, [&](item const& i) { return bin_of(i.centre, centres, s.axis) < s.bin; });
    }
    if (middle == first || middle == last) {
      middle = first + (end - begin) / 2;
      std::nth_element(first, middle, last,
                       [&](item const& a, item const& b) { return a.centre[s.axis] < b.centre[s.axis]; });
    }
    return static_cast<std::uint32_t>(middle - items_.begin());
  }

  void make_leaf(std::size_t self, std::uint32_t begin, std::uint32_t end) {
    tree_.nodes_[self].first = static_cast<std::uint32_t>(tree_.primitives_.size());
    tree_.nodes_[self].count = static_cast<std::uint16_t>(end - begin);
    for (std::uint32_t i = begin; i < end; ++i) {
      bvh::primitive const p = items_[i].what;
      if (p.is_sphere) {
        tree_.primitives_.push_back({true, static_cast<std::uint32_t>(tree_.spheres_.size())});
        tree_.spheres_.push_back(scene_.spheres[p.index]);
      } else {
        tree_.primitives_.push_back({false, static_cast<std::uint32_t>(tree_.triangles_.size())});
        tree_.triangles_.push_back(scene_.triangles[p.index]);
      }
    }
  }

  bvh& tree_;
  scene const& scene_;
  std::vector<item> items_;
};

bvh::bvh(scene const& s) { bvh_builder(*this, s).build(); }

bool bvh::crosses(node const& n, ray3 const& r, vec3 inverse, float greatest) {
  vec3 const t0 = (n.low - r.origin) * inverse, t1 = (n.high - r.origin) * inverse;
  vec3 const near = min(t0, t1), far = max(t0, t1);
  float const enter = greater(greater(near.x, near.y), greater(near.z, r.least));
  float const leave = lesser(lesser(far.x, far.y), lesser(far.z, greatest));
  return enter <= leave;
}

bool bvh::intersect(primitive p, ray3 const& r, float greatest, hit& h) const {
  return p.is_sphere ? sphere_hit(spheres_[p.index], r, greatest, h)
                     : triangle_hit(triangles_[p.index], r, greatest, h);
}

bool bvh::nearest(ray3 const& r, hit& h) const {
  if (nodes_.empty()) {
    return false;
  }
  vec3 const inverse = inverted(r.direction);
  float greatest = r.greatest;
  bool found = false;
  std::uint32_t stack[stack_size];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    std::uint32_t const self = stack[--top];
    node const& n = nodes_[self];
    if (!crosses(n, r, inverse, greatest)) {
      continue;
    }
    if (n.count > 0) {
      for (std::uint32_t i = n.first; i < n.first + n.count; ++i) {
        if (intersect(primitives_[i], r, greatest, h)) {
          greatest = h.distance;
          found = true;
        }
      }
    } else {
      bool const left_first = r.direction[n.axis] >= 0;
      stack[top++] = left_first ? n.first : self + 1;
      stack[top++] = left_first ? self + 1 : n.first;
    }
  }
  return found;
}

bool bvh::blocked(ray3 const& r) const {
  if (nodes_.empty()) {
    return false;
  }
  vec3 const inverse = inverted(r.direction);
  hit ignored;
  std::uint32_t stack[stack_size];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    std::uint32_t const self = stack[--top];
    node const& n = nodes_[self];
    if (!crosses(n, r, inverse, r.greatest)) {
      continue;
    }
    if (n.count > 0) {
      for (std::uint32_t i = n.first; i < n.first + n.count; ++i) {
        if (intersect(primitives_[i], r, r.greatest, ignored)) {
          return true;
        }
      }
    } else {
      stack[top++] = n.first;
      stack[top++] = self + 1;
    }
  }
  return false;
}

}  // namespace kernels::ray
