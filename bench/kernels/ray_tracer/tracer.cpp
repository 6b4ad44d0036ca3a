// SPDX-License-Identifier: Apache-2.0
#include "ray_tracer/tracer.h"

#include <algorithm>
#include <array>
#include <limits>

namespace kernels::ray {
namespace {

constexpr float pi = 3.14159265f;
constexpr float far_away = 1e9f;
constexpr float least_weight = 1.0f / 512;  // mirrorings that contribute less are not followed

// Distance from a surface at which rays start, so that they do not hit it again: rounding grows with the coordinates.
float offset_at(vec3 point) {
  float const reach = std::max({std::fabs(point.x), std::fabs(point.y), std::fabs(point.z), 1.0f});
  return 2e-4f * reach;
}

std::uint32_t scrambled(std::uint32_t v) {
  v ^= v >> 16;
  v *= 0x7feb352dU;
  v ^= v >> 15;
  v *= 0x846ca68bU;
  v ^= v >> 16;
  return v;
}

// The mean over [u - w/2, u + w/2] of the wave that is 1 on [0,1), -1 on [1,2), and so on.
float filtered_square_wave(float u, float w) {
  auto const integral = [](float v) {
    float const phase = v - 2 * std::floor(v * 0.5f);
    return 1 - std::fabs(phase - 1);
  };
  return (integral(u + 0.5f * w) - integral(u - 0.5f * w)) / w;
}

// From a linear colour to a byte: leaves dark and middle tones, rolls bright ones off, then encodes as sRGB. A table
// over the square root of the colour, because the curve is steepest at black.
class tone_curve {
 public:
  tone_curve() {
    for (int i = 0; i < size; ++i) {
      float const root = static_cast<float>(i) / (size - 1);
      float v = root * root * greatest;
      v = v < shoulder ? v : shoulder + (1 - shoulder) * (1 - std::exp(-(v - shoulder) / (1 - shoulder)));
      v = v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
      table_[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(v * 255 + 0.5f);
    }
  }
  std::uint8_t operator()(float v) const {
    float const place = std::sqrt(std::clamp(v, 0.0f, greatest) / greatest) * (size - 1) + 0.5f;
    return table_[static_cast<std::size_t>(place)];
  }

 private:
  static constexpr int size = 8192;
  static constexpr float greatest = 8;
  static constexpr float shoulder = 0.6f;
  std::array<std::uint8_t, size> table_;
};

tone_curve const to_byte;

}  // namespace

tracer::tracer(scene const& s) : scene_(s), tree_(s) {
  camera const& c = s.view;
  forward_ = normalized(c.target - c.eye);
  float const half_height = std::tan(0.5f * c.field_of_view * pi / 180);
  float const half_width = half_height * static_cast<float>(s.width) / static_cast<float>(s.height);
  vec3 const right = normalized(cross(forward_, c.up));
  up_ = cross(right, forward_) * half_height;
  right_ = right * half_width;
  pixel_angle_ = 2 * half_height / static_cast<float>(s.height * s.samples);
}

void tracer::draw(image& picture, int left, int right, int top, int bottom) const {
  for (int y = top; y < bottom; ++y) {
    std::uint8_t* out = picture.pixel(left, y);
    for (int x = left; x < right; ++x) {
      vec3 const c = pixel(x, y) * scene_.exposure;
      *out++ = to_byte(c.x);
      *out++ = to_byte(c.y);
      *out++ = to_byte(c.z);
    }
  }
}

vec3 tracer::pixel(int x, int y) const {
  int const n = scene_.samples;
  float const step = 1.0f / static_cast<float>(n);
  vec3 sum;
  for (int i = 0; i < n * n; ++i) {
    float const u =
        (static_cast<float>(x) + (static_cast<float>(i % n) + 0.5f) * step) / static_cast<float>(scene_.width);
    float const v =
        (static_cast<float>(y) + (static_cast<float>(i / n) + 0.5f) * step) / static_cast<float>(scene_.height);
    vec3 const direction = normalized(forward_ + right_ * (2 * u - 1) + up_ * (1 - 2 * v));
    auto const seed = static_cast<std::uint32_t>((y * scene_.width + x) * 256 + i);
    sum += trace(scene_.view.eye, direction, {0, 0, scrambled(seed)});
  }
  return sum * (step * step);
}

vec3 tracer::background(vec3 direction) const {
  float const height = std::max(0.0f, direction.y);
  return mix(scene_.horizon, scene_.zenith, 1 - (1 - height) * (1 - height));
}

bool tracer::nearest(ray3 const& r, hit& h) const {
  bool found = tree_.nearest(r, h);
  for (plane const& p : scene_.planes) {
    float const slope = dot(p.normal, r.direction);
    float const t = (p.offset - dot(p.normal, r.origin)) / slope;
    if (slope != 0 && t > r.least && t < (found ? h.distance : r.greatest)) {
      h = {t, p.normal, p.material};
      found = true;
    }
  }
  return found;
}

bool tracer::blocked(vec3 from, vec3 to) const {
  vec3 const way = to - from;
  float const distance = length(way);
  ray3 const r{from, way * (1 / distance), 0, distance};
  for (plane const& p : scene_.planes) {
    float const t = (p.offset - dot(p.normal, from)) / dot(p.normal, r.direction);
    if (t > 0 && t < distance) {
      return true;
    }
  }
  return tree_.blocked(r);
}

// Share of the lamp that is seen from the point.
float tracer::visible(light const& l, vec3 point, vec3 normal, std::uint32_t random) const {
  vec3 const from = point + normal * offset_at(point);
  int const n = l.radius > 0 ? scene_.shadow_rays : 1;
  if (n == 1) {
    return blocked(from, l.position) ? 0.0f : 1.0f;
  }
  // Points on a disc that faces the surface, on a spiral turned differently for each ray.
  vec3 const axis = normalized(l.position - from);
  vec3 const side = normalized(cross(axis, std::fabs(axis.y) < 0.9f ? vec3{0, 1, 0} : vec3{1, 0, 0}));
  vec3 const other = cross(axis, side);
  float const turn = static_cast<float>(random & 0xffff) * (2 * pi / 65536);
  int seen = 0;
  for (int i = 0; i < n; ++i) {
    float const radius = l.radius * std::sqrt((static_cast<float>(i) + 0.5f) / static_cast<float>(n));
    float const angle = turn + static_cast<float>(i) * 2.3999632f;
    seen += !blocked(from, l.position + side * (radius * std::cos(angle)) + other * (radius * std::sin(angle)));
  }
  return static_cast<float>(seen) / static_cast<float>(n);
}

// Checkers are averaged over the footprint of the ray, so that they fade into grey instead of flickering.
vec3 tracer::surface_colour(material const& m, vec3 point, vec3 normal, float footprint) const {
  if (m.checker <= 0) {
    return m.colour;
  }
  float const ax = std::fabs(normal.x), ay = std::fabs(normal.y), az = std::fabs(normal.z);
  float const u = (ax > ay && ax > az ? point.y : point.x) / m.checker;
  float const v = (ay >= ax && ay >= az ? point.z : ax > az ? point.z : point.y) / m.checker;
  float const w = std::clamp(footprint / m.checker, 1e-3f, 2.0f);
  float const pattern = filtered_square_wave(u, w) * filtered_square_wave(v, w);
  return mix(m.colour2, m.colour, 0.5f + 0.5f * pattern);
}

vec3 tracer::shade(vec3 direction, hit const& h, vec3 point, path p) const {
  material const& m = scene_.materials[h.material];
  vec3 const normal = dot(h.normal, direction) > 0 ? -h.normal : h.normal;
  float const cosine = std::min(1.0f, -dot(normal, direction));
  float const footprint = p.travelled * pixel_angle_ / std::max(cosine, 0.05f);
  vec3 const colour = surface_colour(m, point, normal, footprint);

  float const sky = 0.65f + 0.35f * normal.y;
  vec3 result = colour * scene_.ambient * sky;
  vec3 const mirror = mirrored(direction, normal);
  float const grazing = 1 - cosine;
  float const mirrored_share = m.reflect + m.fresnel * grazing * grazing * grazing * grazing * grazing;
  for (light const& l : scene_.lights) {
    vec3 const to_light = normalized(l.position - point);
    float const facing = dot(normal, to_light);
    if (facing <= 0) {
      continue;
    }
    p.random = scrambled(p.random);
    float const seen = visible(l, point, normal, p.random);
    if (seen > 0) {
      float const glint = std::max(0.0f, dot(mirror, to_light));
      float const gloss = glint > 0 ? m.specular * std::pow(glint, m.shininess) : 0;
      result += l.colour * seen * (colour * (m.diffuse * facing) + vec3{gloss, gloss, gloss});
    }
  }
  if (mirrored_share > least_weight && p.depth < scene_.depth) {
    path next = p;
    ++next.depth;
    next.random = scrambled(p.random + 1);
    // Coloured by the surface when it is a strong mirror: metal, not varnish.
    vec3 const tint = mix({1, 1, 1}, colour, std::min(1.0f, 1.5f * m.reflect));
    result =
        result * (1 - mirrored_share) + trace(point + normal * offset_at(point), mirror, next) * tint * mirrored_share;
  }
  return result;
}

vec3 tracer::trace(vec3 origin, vec3 direction, path p) const {
  hit h;
  vec3 const sky = background(direction);
  if (!nearest({origin, direction, p.depth == 0 ? 1e-4f : 0.0f, far_away}, h)) {
    return sky;
  }
  p.travelled += h.distance;
  float const haze = scene_.fog > 0 ? 1 - std::exp(-p.travelled * p.travelled * scene_.fog * scene_.fog) : 0;
  if (haze > 1 - least_weight) {
    return sky;
  }
  return mix(shade(direction, h, origin + direction * h.distance, p), sky, haze);
}

}  // namespace kernels::ray
