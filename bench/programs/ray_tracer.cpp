// SPDX-License-Identifier: Apache-2.0
// The ray tracer of bench/kernels by reference: its scene "knot" in a smaller size, a parallel_for over small tiles.
#include "common/tbb_program.h"

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "ray_tracer/bvh.cpp"
#include "ray_tracer/scene_reader.cpp"
#include "ray_tracer/tracer.cpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace {

namespace ray = kernels::ray;

class ray_tracer {
 public:
  explicit ray_tracer(double scale) : scene_(small_scene(scale)), picture_(scene_.width, scene_.height) {}

  void work() {
    using range = tbb::blocked_range2d<int>;
    ray::tracer const tracer(scene_);
    tbb::parallel_for(
        range(0, scene_.height, 16, 0, scene_.width, 16),
        [&](range const& r) {
          tracer.draw(picture_, r.cols().begin(), r.cols().end(), r.rows().begin(), r.rows().end());
        },
        tbb::simple_partitioner());
  }

  // Some rows drawn anew by one thread.
  char const* wrong() const {
    ray::tracer const tracer(scene_);
    ray::image again(scene_.width, scene_.height);
    for (int y = 3; y < scene_.height; y += 10) {
      tracer.draw(again, 0, scene_.width, y, y + 1);
      if (!std::equal(again.pixel(0, y), again.pixel(0, y) + 3 * scene_.width, picture_.pixel(0, y))) {
        return "a row of the picture";
      }
    }
    return nullptr;
  }

 private:
  static ray::scene small_scene(double scale) {
#ifdef SCENES
    std::string const folder = SCENES;
#else  // the runner compiles sources by their whole path
    std::string const here = __FILE__,
                      folder = here.substr(0, here.find_last_of('/')) + "/../kernels/ray_tracer/scenes";
#endif
    ray::scene s = ray::read_scene_file(folder + "/knot.scene");
    s.width = std::max(16, static_cast<int>(480 * std::sqrt(scale)));
    s.height = std::max(9, static_cast<int>(270 * std::sqrt(scale)));
    s.samples = 1;
    return s;
  }

  ray::scene const scene_;
  ray::image picture_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<ray_tracer>(argc, argv); }
