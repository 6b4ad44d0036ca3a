// SPDX-License-Identifier: Apache-2.0
// Draws a scene file into a PNG file, in parallel over tiles of the picture. With --measure it is the paper's ray
// tracer (figure 9): grain 50 and grain 1 against the serial version, whose picture every other must equal.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <bench/clock.h>

#include "common/driver.h"
#include "common/library.h"
#include "ray_tracer/image.h"
#include "ray_tracer/progress.h"
#include "ray_tracer/scene_reader.h"
#include "ray_tracer/tracer.h"

#if KERNEL_CLASSIC_TASKS
#include "common/switchable_parallel_for.h"
#endif

namespace {

namespace ray = kernels::ray;
using range = tbb::blocked_range2d<int>;
char const* const kernel = "ray_tracer";

class tile_body {
 public:
  tile_body(ray::tracer const& t, ray::image& picture, ray::progress* bar) : tracer_(t), picture_(picture), bar_(bar) {}

  void operator()(range const& r) const {
    tracer_.draw(picture_, r.cols().begin(), r.cols().end(), r.rows().begin(), r.rows().end());
    if (bar_ != nullptr) {
      bar_->add(static_cast<std::int64_t>(r.rows().size() * r.cols().size()));
    }
  }

 private:
  ray::tracer const& tracer_;
  ray::image& picture_;
  ray::progress* bar_;
};

range tiles(ray::scene const& s, int grain) {
  auto const g = static_cast<std::size_t>(grain);
  return range(0, s.height, g, 0, s.width, g);
}

ray::scene load(std::string const& path) {
  try {
    return ray::read_scene_file(path);
  } catch (ray::scene_error const& e) {
    kernels::fail(kernel, e.what(), 1);
  }
}

void save(ray::image const& picture, std::string const& path) {
  try {
    ray::write_png(picture, path);
  } catch (std::exception const& e) {
    kernels::fail(kernel, e.what(), 1);
  }
}

void set_size(ray::scene& s, std::string const& size) {
  int width = 0, height = 0, read = 0;
  if (std::sscanf(size.c_str(), "%dx%d%n", &width, &height, &read) != 2 || size.c_str()[read] != '\0' ||
      std::min(width, height) < 1 || std::max(width, height) > 16384) {
    kernels::fail(kernel, "--size: expected WIDTHxHEIGHT, each 1 to 16384, not " + size, 2);
  }
  s.width = width;
  s.height = height;
}

int draw_picture(ray::scene const& s, std::string const& path, int threads) {
  ray::image picture(s.width, s.height);
  double const start = bench::wall_now();
  ray::tracer const tracer(s);
  kernels::with_threads(threads, [&] {
    ray::progress bar(static_cast<std::int64_t>(s.width) * s.height);
    // Small tiles: the cost of a pixel varies by two orders of magnitude between sky and mirrors.
    tbb::parallel_for(tiles(s, 16), tile_body(tracer, picture, &bar), tbb::simple_partitioner());
  });
  double const seconds = bench::wall_now() - start;
  save(picture, path);
  std::printf("%s: %d x %d, %zu primitives, %d threads, %.2f s\n", path.c_str(), s.width, s.height, s.primitives(),
              threads, seconds);
  return 0;
}

// The serial version, in tiles like the parallel ones: neighbouring rays then find the scene in the caches.
void draw_serially(ray::tracer const& tracer, ray::image& picture) {
  constexpr int edge = 50;
  for (int top = 0; top < picture.height(); top += edge) {
    for (int left = 0; left < picture.width(); left += edge) {
      tracer.draw(picture, left, std::min(left + edge, picture.width()), top, std::min(top + edge, picture.height()));
    }
  }
}

class measurement {
 public:
  measurement(kernels::driver& d, ray::scene const& s, std::vector<int> grains)
      : driver_(d),
        scene_(s),
        grains_(std::move(grains)),
        tracer_(s),
        expected_(s.width, s.height),
        drawn_(s.width, s.height) {}

  void serial() {
    draw_serially(tracer_, expected_);
    for (int g : grains_) {
      driver_.serial(setting(g), [this] { draw_serially(tracer_, drawn_); }, [this] { return drawn_ == expected_; });
    }
  }
  void parallel(int threads) {
    for (int g : grains_) {
      run("parallel_for", g, threads,
          [](range const& r, tile_body const& b) { tbb::parallel_for(r, b, tbb::simple_partitioner()); });
#if KERNEL_CLASSIC_TASKS
      for (kernels::style s : kernels::all_styles) {
        run(kernels::paper_name(s), g, threads, [s](range const& r, tile_body const& b) {
          kernels::switchable_parallel_for(s, r, b, kernels::split_to_grain());
        });
      }
#endif
    }
  }
  ray::image const& picture() const { return drawn_; }

 private:
  static std::string setting(int grain) { return "grain " + std::to_string(grain); }
  template <typename Loop>
  void run(std::string const& style, int grain, int threads, Loop const& loop) {
    if (driver_.wanted(style)) {
      driver_.parallel(
          style, setting(grain), threads,
          [&] {
            drawn_.clear();
            loop(tiles(scene_, grain), tile_body(tracer_, drawn_, nullptr));
          },
          [&] { return drawn_ == expected_; });
    }
  }

  kernels::driver& driver_;
  ray::scene const& scene_;
  std::vector<int> grains_;
  ray::tracer tracer_;
  ray::image expected_, drawn_;
};

}  // namespace

int main(int argc, char** argv) {
  kernels::driver d(kernel, "draws a scene file into a PNG file", kernels::this_library());
  std::string scene_path, output, size;
  std::vector<int> grains{50, 1};
  int samples = 0, shadow_rays = 0;
  bool measure = false;
  d.option("scene", scene_path, "the scene file");
  d.option("--output", output, "the picture (default: the scene's name with .png, in the current folder)");
  d.option("--size", size, "WIDTHxHEIGHT instead of the scene's (with --quick 480x270)");
  d.option("--samples", samples, "rays per pixel edge instead of the scene's", 1, 16);
  d.option("--shadow-rays", shadow_rays, "shadow rays per lamp instead of the scene's", 1, 64);
  d.option("--grains", grains, "tile edges to measure (default 50,1)", 1, 16384);
  d.flag("--measure", measure, "time all styles against the serial version");
  d.parse(argc, argv);
  if (scene_path.empty()) {
    kernels::fail(kernel, "no scene file named", 2);
  }

  ray::scene scene = load(scene_path);
  if (!size.empty() || d.quick()) {
    set_size(scene, size.empty() ? "480x270" : size);
  }
  scene.samples = samples ? samples : scene.samples;
  scene.shadow_rays = shadow_rays ? shadow_rays : scene.shadow_rays;

  if (!measure) {
    std::string const name = scene_path.substr(scene_path.find_last_of('/') + 1);
    std::string const path = output.empty() ? name.substr(0, name.find_last_of('.')) + ".png" : output;
    int const all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return draw_picture(scene, path, d.threads_given() ? d.threads().back() : all);
  }
  d.parameter("scene", scene_path.substr(scene_path.find_last_of('/') + 1));
  d.parameter("size", std::to_string(scene.width) + "x" + std::to_string(scene.height));
  d.parameter("samples", std::to_string(scene.samples));
  d.parameter("primitives", std::to_string(scene.primitives()));
  measurement m(d, scene, grains);
  m.serial();
  for (int threads : d.threads()) {
    kernels::with_threads(threads, [&] { m.parallel(threads); });
  }
  if (!output.empty()) {
    save(m.picture(), output);
  }
  return d.finish();
}
