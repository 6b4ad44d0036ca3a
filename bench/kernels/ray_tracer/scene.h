// SPDX-License-Identifier: Apache-2.0
// What a scene consists of; README.md in this folder describes its text format.
#pragma once

#include <cstdint>
#include <vector>

#include "ray_tracer/vec3.h"

namespace kernels::ray {

struct material {
  vec3 colour{0.8f, 0.8f, 0.8f};
  float diffuse = 0.9f;
  float specular = 0.2f;
  float shininess = 32;
  float reflect = 0;  // share of the light that is mirrored, seen from above
  float fresnel = 0;  // what is added to it at a grazing angle
  float checker = 0;  // edge of the squares, 0 for none
  vec3 colour2;       // of every other square
};

struct sphere {
  vec3 centre;
  float radius;
  std::uint32_t material;
};

struct plane {
  vec3 normal;
  float offset;  // dot(normal, point) of all points on it
  std::uint32_t material;
};

struct triangle {
  vec3 a, edge1, edge2;               // corners a, a + edge1, a + edge2
  vec3 normal_a, normal_b, normal_c;  // for smooth shading; equal if flat
  std::uint32_t material;
};

// A lamp. A radius above zero gives soft shadows if the scene asks for more than one shadow ray.
struct light {
  vec3 position;
  vec3 colour;
  float radius = 0;
};

struct camera {
  vec3 eye{0, 0, -1};
  vec3 target;
  vec3 up{0, 1, 0};
  float field_of_view = 45;  // degrees, vertical
};

struct scene {
  int width = 1920;
  int height = 1080;
  int samples = 1;      // squared: rays per pixel
  int shadow_rays = 1;  // per lamp
  int depth = 6;        // mirrorings followed
  vec3 horizon{0.8f, 0.85f, 0.9f};
  vec3 zenith{0.35f, 0.5f, 0.8f};
  vec3 ambient{0.2f, 0.2f, 0.2f};
  float fog = 0;  // 1 / distance at which the background begins to hide things; 0 for none
  float exposure = 1;
  camera view;
  std::vector<material> materials;
  std::vector<light> lights;
  std::vector<sphere> spheres;
  std::vector<plane> planes;
  std::vector<triangle> triangles;

  std::size_t primitives() const { return spheres.size() + planes.size() + triangles.size(); }
};

}  // namespace kernels::ray
