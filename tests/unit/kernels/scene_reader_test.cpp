// SPDX-License-Identifier: Apache-2.0
#include "ray_tracer/scene_reader.h"

#include <doctest/doctest.h>

#include <sstream>

namespace {

using namespace kernels::ray;

std::string const head = "camera 0 0 -5  0 0 0  40\nlight 0 9 0  1 1 1\nmaterial m 1 1 1\n";  // lines 1 to 3

scene read(std::string const& text) {
  std::istringstream in(text);
  return read_scene(in, "s");
}
// The message of the error that the text gives; empty if it gives none.
std::string error_of(std::string const& text) {
  try {
    read(text);
  } catch (scene_error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a scene is read as it is written") {
  scene const s = read(head +
                       "image 64 32  # comment\n\n"
                       "samples 3 4\ndepth 2\nfog 50\nexposure 1.5\n"
                       "background 1 2 3  4 5 6\nambient 0.1 0.2 0.3\n"
                       "material shiny 0.5 0.25 1 reflect 0.5 fresnel 0.25 checker 2 0 0 0.5\n"
                       "sphere shiny 1 2 3 0.5\nplane m 0 -1 0  0 2 0\ntriangle m 0 0 0  1 0 0  0 1 0\n");
  CHECK(s.width == 64);
  CHECK(s.height == 32);
  CHECK(s.samples == 3);
  CHECK(s.shadow_rays == 4);
  CHECK(s.depth == 2);
  CHECK(s.fog == doctest::Approx(0.02));
  CHECK(s.exposure == 1.5f);
  CHECK(s.horizon.z == 3);
  CHECK(s.zenith.x == 4);
  CHECK(s.ambient.y == 0.2f);
  REQUIRE(s.materials.size() == 2);
  CHECK(s.materials[1].reflect == 0.5f);
  CHECK(s.materials[1].checker == 2);
  CHECK(s.materials[1].colour2.z == 0.5f);
  REQUIRE(s.spheres.size() == 1);
  CHECK(s.spheres[0].material == 1);
  CHECK(s.spheres[0].centre.y == 2);
  CHECK(s.planes[0].normal.y == 1);
  CHECK(s.planes[0].offset == -1);
  CHECK(s.triangles[0].normal_a.z == 1);
  CHECK(s.primitives() == 3);
}

TEST_CASE("a face of n corners becomes n - 2 triangles, smooth where its corners have normals") {
  scene const s = read(head +
                       "vertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nface m 1 2 3 4\n"
                       "vertex 0 0 1  0 1 1\nvertex 1 0 1  0 0 2\nvertex 0 1 1  1 0 1\nface m 5 6 7\n");
  REQUIRE(s.triangles.size() == 3);
  CHECK(s.triangles[1].edge1.x == 1);
  CHECK(s.triangles[1].edge1.y == 1);
  CHECK(s.triangles[2].normal_b.z == 1);
  CHECK(s.triangles[2].normal_a.y == doctest::Approx(0.70711));
}

TEST_CASE("what is wrong with a scene is said with file and line") {
  struct {
    char const* line;
    char const* message;
  } const cases[] = {
      {"sphere m 0 0 0", "s:4: sphere: radius is missing"},
      {"sphere m 0 0 zero 1", "s:4: sphere: centre is not a number: zero"},
      {"sphere m 0 0 nan 1", "s:4: sphere: centre is not a number: nan"},
      {"sphere m 0 0 inf 1", "s:4: sphere: centre is not a number: inf"},
      {"sphere m 0 0 1e30 1", "s:4: sphere: centre must lie between -1e+06 and 1e+06, not 1e30"},
      {"sphere m 0 0 0 -1", "s:4: sphere: radius must lie between 0.0001 and 1e+06, not -1"},
      {"sphere m 0 0 0 1 2", "s:4: sphere: unexpected '2' at the end"},
      {"sphere q 0 0 0 1", "s:4: sphere: unknown material 'q'"},
      {"sphere", "s:4: sphere: material is missing"},
      {"ball m 0 0 0 1", "s:4: unknown keyword 'ball'"},
      {"material m 1 1 1", "s:4: material: 'm' is defined twice"},
      {"material k 1 1 -1", "s:4: material: colour must lie between 0 and 1000, not -1"},
      {"material k 1 1 1 shiny 3", "s:4: material: unknown property 'shiny'"},
      {"material k 1 1 1 reflect 0.8 fresnel 0.3", "s:4: material: reflect and fresnel add up to more than 1"},
      {"plane m 0 0 0 0 0 0", "s:4: plane: normal must not be zero"},
      {"triangle m 0 0 0  1 1 1  2 2 2", "s:4: triangle: a triangle without area"},
      {"face m 1 2 3", "s:4: face: no vertex is defined yet"},
      {"vertex 0 0 0\nface m 1 1 2", "s:5: face: vertex 2 is not defined yet, the last is 1"},
      {"vertex 0 0 0\nface m 1 0 1", "s:5: face: vertex number must lie between 1 and 1e+06, not 0"},
      {"vertex 0 0 0\nface m 1 1.5", "s:5: face: vertex number must be a whole number"},
      {"vertex 0 0 0\nface m 1 1", "s:5: face: needs at least three vertices"},
      {"camera 0 0 1 0 0 0 40", "s:4: camera: only one is allowed"},
      {"image 0 10", "s:4: image: width must lie between 1 and 16384, not 0"},
      {"image 10.5 10", "s:4: image: width must be a whole number"},
      {"samples 99", "s:4: samples: rays per pixel edge must lie between 1 and 16, not 99"},
      {"fog 0", "s:4: fog: distance must lie between 0.001 and 1e+06, not 0"},
  };
  for (auto const& c : cases) {
    CHECK(error_of(head + c.line + "\n") == c.message);
  }
}

TEST_CASE("a scene needs a camera, a light and something to see") {
  CHECK(error_of("") == "s:0: the scene has no camera");
  CHECK(error_of("light 0 9 0  1 1 1\n") == "s:1: the scene has no camera");
  CHECK(error_of("camera 0 0 -5  0 0 0  40\n") == "s:1: the scene has no light");
  CHECK(error_of(head) == "s:3: the scene is empty");
  CHECK(error_of("camera 0 0 0  0 0 0  40\n") == "s:1: camera: eye and target are the same point");
  CHECK(error_of("camera 0 5 0  0 0 0  40\n") == "s:1: camera: looks along its up direction");
  CHECK(error_of("camera 0 5 0  0 0 0  180\n") == "s:1: camera: field of view must lie between 1 and 170, not 180");
}

TEST_CASE("a file that is not there is named") {
  try {
    read_scene_file("no/such.scene");
    FAIL("no error");
  } catch (scene_error const& e) {
    CHECK(std::string(e.what()) == "no/such.scene: cannot open: No such file or directory");
  }
}

TEST_CASE("the scenes that are shipped have a thousand primitives and more") {
  for (char const* name : {"spiral", "knot"}) {
    scene const s = read_scene_file(std::string(KERNEL_SCENES) + "/" + name + ".scene");
    CHECK(s.primitives() >= 1000);
    CHECK(s.width == 1920);
    CHECK(s.height == 1080);
  }
}
