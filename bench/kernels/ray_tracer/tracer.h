// SPDX-License-Identifier: Apache-2.0
// Computes the pixels of a scene's picture: Phong shading, shadows, mirrors, fog. A pixel depends on nothing but the
// scene and its coordinates, so that any order and any number of threads give the same picture bit by bit.
#pragma once

#include <cstdint>

#include "ray_tracer/bvh.h"
#include "ray_tracer/image.h"
#include "ray_tracer/scene.h"

namespace kernels::ray {

class tracer {
 public:
  // Keeps a reference to the scene.
  explicit tracer(scene const& s);

  // Draws the pixels of a rectangle; calls for disjoint rectangles may run at once.
  void draw(image& picture, int left, int right, int top, int bottom) const;

 private:
  struct path {
    int depth;             // mirrorings so far
    float travelled;       // distance from the eye
    std::uint32_t random;  // differs from ray to ray
  };

  vec3 pixel(int x, int y) const;
  vec3 trace(vec3 origin, vec3 direction, path p) const;
  vec3 shade(vec3 direction, hit const& h, vec3 point, path p) const;
  float visible(light const& l, vec3 point, vec3 normal, std::uint32_t random) const;
  bool nearest(ray3 const& r, hit& h) const;
  bool blocked(vec3 from, vec3 to) const;
  vec3 background(vec3 direction) const;
  vec3 surface_colour(material const& m, vec3 point, vec3 normal, float footprint) const;

  scene const& scene_;
  bvh tree_;
  vec3 forward_, right_, up_;  // right_ and up_ reach to the edge of the picture
  float pixel_angle_;
};

}  // namespace kernels::ray
