// SPDX-License-Identifier: Apache-2.0
// Points, directions and colours. Single precision: a picture needs no more, and smaller vectors leave more of the
// scene in the caches.
#pragma once

#include <cmath>

namespace kernels::ray {

struct vec3 {
  float x = 0, y = 0, z = 0;

  float operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
};

inline vec3 operator+(vec3 a, vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline vec3 operator-(vec3 a, vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline vec3 operator-(vec3 a) { return {-a.x, -a.y, -a.z}; }
inline vec3 operator*(vec3 a, vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline vec3 operator*(vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline vec3 operator*(float s, vec3 a) { return a * s; }
inline vec3& operator+=(vec3& a, vec3 b) { return a = a + b; }

inline float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline vec3 cross(vec3 a, vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline float length(vec3 a) { return std::sqrt(dot(a, a)); }
inline vec3 normalized(vec3 a) { return a * (1.0f / length(a)); }
inline vec3 mix(vec3 a, vec3 b, float share_of_b) { return a * (1.0f - share_of_b) + b * share_of_b; }
// d mirrored at a surface with normal n.
inline vec3 mirrored(vec3 d, vec3 n) { return d - n * (2.0f * dot(d, n)); }
// Compile to one instruction each, which std::fmin does not: it has to treat a NaN specially.
inline float lesser(float a, float b) { return a < b ? a : b; }
inline float greater(float a, float b) { return a > b ? a : b; }
inline vec3 min(vec3 a, vec3 b) { return {lesser(a.x, b.x), lesser(a.y, b.y), lesser(a.z, b.z)}; }
inline vec3 max(vec3 a, vec3 b) { return {greater(a.x, b.x), greater(a.y, b.y), greater(a.z, b.z)}; }

}  // namespace kernels::ray
