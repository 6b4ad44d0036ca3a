// SPDX-License-Identifier: Apache-2.0
#include "ray_tracer/tracer.h"

#include <doctest/doctest.h>

#include <random>

#include "ray_tracer/scene_reader.h"

namespace {

using namespace kernels::ray;

class random_vectors {
 public:
  explicit random_vectors(unsigned seed) : engine_(seed) {}
  float number(float least, float most) { return std::uniform_real_distribution<float>(least, most)(engine_); }
  vec3 point(float reach) {
    float const x = number(-reach, reach), y = number(-reach, reach), z = number(-reach, reach);
    return {x, y, z};
  }
  vec3 direction() {
    for (;;) {
      vec3 const v = point(1);
      if (length(v) > 0.1f && length(v) <= 1) {
        return normalized(v);
      }
    }
  }

 private:
  std::mt19937 engine_;
};

scene random_scene(int spheres, int triangles, unsigned seed) {
  random_vectors random(seed);
  scene s;
  s.materials.resize(1);
  for (int i = 0; i < spheres; ++i) {
    vec3 const centre = random.point(10);
    s.spheres.push_back({centre, random.number(0.05f, 0.8f), 0});
  }
  for (int i = 0; i < triangles; ++i) {
    vec3 const a = random.point(10), e1 = random.point(1), e2 = random.point(1);
    vec3 const n = normalized(cross(e1, e2));
    s.triangles.push_back({a, e1, e2, n, n, n, 0});
  }
  return s;
}

// One tree per primitive is no tree at all: the search without its acceleration.
bool nearest_of_all(std::vector<bvh> const& singles, ray3 r, hit& h) {
  bool found = false;
  for (bvh const& b : singles) {
    if (b.nearest(r, h)) {
      r.greatest = h.distance;
      found = true;
    }
  }
  return found;
}

std::vector<bvh> one_tree_each(scene const& s) {
  std::vector<bvh> singles;
  for (sphere const& ball : s.spheres) {
    scene one;
    one.spheres.push_back(ball);
    singles.emplace_back(one);
  }
  for (triangle const& face : s.triangles) {
    scene one;
    one.triangles.push_back(face);
    singles.emplace_back(one);
  }
  return singles;
}

void compare_with_all(scene const& s, int rays, unsigned seed) {
  bvh const tree(s);
  std::vector<bvh> const singles = one_tree_each(s);
  random_vectors random(seed);
  int hits = 0;
  for (int i = 0; i < rays; ++i) {
    ray3 r{random.point(12), random.direction(), 0, 30};
    if (i % 4 == 0) {
      r.direction = i % 8 ? vec3{0, 1, 0} : vec3{-1, 0, 0};  // along an axis: divisions by zero lurk there
    }
    hit a, b;
    bool const expected = nearest_of_all(singles, r, a);
    REQUIRE(tree.nearest(r, b) == expected);
    REQUIRE(tree.blocked(r) == expected);
    if (expected) {
      REQUIRE(b.distance == a.distance);
      ++hits;
    }
  }
  CHECK(hits > rays / 20);
  CHECK(hits < rays);
}

image drawn(scene const& s) {
  image picture(s.width, s.height);
  tracer(s).draw(picture, 0, s.width, 0, s.height);
  return picture;
}

}  // namespace

TEST_CASE("the tree finds what a search through all primitives finds") {
  compare_with_all(random_scene(300, 300, 1), 2000, 2);
  compare_with_all(random_scene(300, 0, 3), 500, 4);
  compare_with_all(random_scene(0, 300, 5), 500, 6);
}

TEST_CASE("equal primitives don't break the tree") {
  scene s;
  s.materials.resize(1);
  s.spheres.assign(1000, {{1, 2, 3}, 0.5f, 0});
  bvh const tree(s);
  hit h;
  CHECK(tree.nearest({{1, 2, -5}, {0, 0, 1}, 0, 100}, h));
  CHECK(h.distance == doctest::Approx(7.5));
  CHECK(h.normal.z == doctest::Approx(-1));
}

TEST_CASE("an empty tree is hit by nothing") {
  bvh const tree{scene()};
  hit h;
  CHECK_FALSE(tree.nearest({{0, 0, 0}, {0, 0, 1}, 0, 100}, h));
  CHECK_FALSE(tree.blocked({{0, 0, 0}, {0, 0, 1}, 0, 100}));
}

TEST_CASE("hits before and behind the ray's bounds don't count") {
  scene s;
  s.materials.resize(1);
  s.spheres.push_back({{0, 0, 10}, 1, 0});
  bvh const tree(s);
  hit h;
  CHECK_FALSE(tree.nearest({{0, 0, 0}, {0, 0, 1}, 0, 8.9f}, h));
  CHECK(tree.nearest({{0, 0, 0}, {0, 0, 1}, 9.5f, 100}, h));
  CHECK(h.distance == doctest::Approx(11));
  CHECK_FALSE(tree.nearest({{0, 0, 0}, {0, 0, -1}, 0, 100}, h));
}

TEST_CASE("a picture does not depend on the order of its tiles") {
  scene s = read_scene_file(std::string(KERNEL_SCENES) + "/spiral.scene");
  s.width = 96;
  s.height = 54;
  s.shadow_rays = 3;
  image const whole = drawn(s);
  image tiles(s.width, s.height);
  tracer const t(s);
  for (int y = s.height - 7; y > -7; y -= 7) {
    for (int x = 0; x < s.width; x += 11) {
      t.draw(tiles, x, std::min(x + 11, s.width), std::max(0, y), y + 7);
    }
  }
  CHECK(tiles == whole);
}

TEST_CASE("light, shadow, mirror and background are where they belong") {
  scene s;
  s.width = s.height = 41;
  s.view = {{0, 5, 0}, {0, 0, 0}, {0, 0, 1}, 60};
  s.ambient = {0.01f, 0.01f, 0.01f};
  s.horizon = s.zenith = {0, 0, 1};
  material white, mirror;
  mirror.reflect = 1;
  mirror.diffuse = mirror.specular = 0;
  s.materials = {white, mirror};
  s.lights.push_back({{0, 4, 0}, {1, 1, 1}, 0});
  s.planes.push_back({{0, 1, 0}, 0, 0});
  SUBCASE("an open floor is bright below the lamp") { CHECK(*drawn(s).pixel(20, 20) > 180); }
  SUBCASE("a ball under the lamp shades the floor beside it, not far off") {
    s.spheres.push_back({{0, 2, 0}, 0.5f, 0});
    s.view.eye = {0, 1, -4};
    s.view.target = {0, 0, 0};
    s.view.up = {0, 1, 0};
    image const p = drawn(s);
    CHECK(*p.pixel(20, 20) < 60);
    CHECK(*p.pixel(2, 20) > 100);
  }
  SUBCASE("a mirror on the floor shows the blue sky") {
    s.planes[0].material = 1;
    image const p = drawn(s);
    CHECK(p.pixel(3, 3)[2] > 200);
    CHECK(p.pixel(3, 3)[0] < 20);
  }
}
