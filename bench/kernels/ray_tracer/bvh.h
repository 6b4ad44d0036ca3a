// SPDX-License-Identifier: Apache-2.0
// A bounding volume hierarchy over the spheres and triangles of a scene. Built once, read by all threads.
//
// Built top-down with the surface area heuristic over binned centroids. Nodes lie in depth-first order: a node's
// left child follows it at once. Primitives are copied in leaf order, so that a leaf reads memory in sequence.
#pragma once

#include <cstdint>
#include <vector>

#include "ray_tracer/scene.h"

namespace kernels::ray {

// Points origin + t * direction with t in (least, greatest).
struct ray3 {
  vec3 origin, direction;
  float least, greatest;
};

struct hit {
  float distance = 0;
  vec3 normal;  // of the surface, not turned towards the ray
  std::uint32_t material = 0;
};

class bvh {
 public:
  explicit bvh(scene const& s);

  // The nearest hit on the ray, if any; h is changed only then.
  bool nearest(ray3 const& r, hit& h) const;
  // Whether anything lies on the ray.
  bool blocked(ray3 const& r) const;

 private:
  friend class bvh_builder;

  struct node {
    vec3 low, high;
    std::uint32_t first;  // leaf: first primitive; inner: index of the right child
    std::uint16_t count;  // primitives of a leaf; 0 for an inner node
    std::uint16_t axis;   // inner: the children are split along it, the left one has the smaller coordinates
  };
  struct primitive {
    bool is_sphere;
    std::uint32_t index;
  };
  static bool crosses(node const& n, ray3 const& r, vec3 inverse, float greatest);
  bool intersect(primitive p, ray3 const& r, float greatest, hit& h) const;

  std::vector<node> nodes_;
  std::vector<primitive> primitives_;
  std::vector<sphere> spheres_;
  std::vector<triangle> triangles_;
};

}  // namespace kernels::ray
