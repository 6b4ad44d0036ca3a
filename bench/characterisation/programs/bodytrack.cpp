// SPDX-License-Identifier: Apache-2.0
// Tracks a body of sticks in the pictures of four cameras with an annealed particle filter, as in Deutscher, Reid,
// "Articulated body motion capture by stochastic search" (2005). A pipeline over the frames: the cameras' pictures come
// in serially, are turned into maps of edges and silhouettes (parallel_for over rows), and are searched serially, frame
// after frame, with a parallel_for over the particles of each layer.
#include "common/library.h"
#include "common/random.h"
#include "common/study.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#if __has_include(<tbb/parallel_pipeline.h>)
#include <tbb/parallel_pipeline.h>
#else
#include <tbb/pipeline.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

namespace study {
namespace {

struct parameters {
  int frames;
  std::size_t particles;
  int layers;
  int width, height;        // of a picture
  std::size_t rows, grain;  // per task: of a picture, particles
};
constexpr parameters sizes[] = {{3, 200, 3, 80, 60, 8, 8},
                                {4, 1000, 5, 160, 120, 8, 8},
                                {8, 2000, 5, 160, 120, 8, 8},
                                {16, 4000, 5, 320, 240, 8, 8},
                                {261, 4000, 5, 320, 240, 8, 8}};
constexpr std::size_t tokens = 4;  // frames in the pipeline
constexpr int cameras = 4;

// Where the body stands and how its limbs are bent: x, y, height of the hip, heading, two arms, two legs.
constexpr int dimensions = 8;
using pose = std::array<double, dimensions>;
constexpr pose scatter = {0.06, 0.06, 0.04, 0.12, 0.20, 0.20, 0.15, 0.15};  // by which poses change from frame to frame

pose true_pose(int frame) {
  double const t = 0.25 * frame;
  return {0.3 * std::sin(0.3 * t),
          0.2 * std::cos(0.4 * t) - 0.2,
          0.95,
          0.2 * t,
          0.5 * std::sin(t),
          -0.5 * std::sin(t),
          0.4 * std::sin(t),
          -0.4 * std::sin(t)};
}

struct point {
  double x, y, z;
};
struct limb {
  point from, to;
};
constexpr int limbs = 6;

// Swings forward and backward about a joint, in the direction in which the body looks.
point hanging(point const& joint, double length, double angle, double heading) {
  double const ahead = length * std::sin(angle);
  return {joint.x + ahead * std::cos(heading), joint.y + ahead * std::sin(heading), joint.z - length * std::cos(angle)};
}

std::array<limb, limbs> body(pose const& p) {
  double const side_x = -std::sin(p[3]), side_y = std::cos(p[3]);
  auto const beside = [&](double height, double aside) {
    return point{p[0] + aside * side_x, p[1] + aside * side_y, height};
  };
  point const hip = beside(p[2], 0), neck = beside(p[2] + 0.55, 0), head = beside(p[2] + 0.8, 0);
  point const left = beside(p[2] + 0.5, 0.22), right = beside(p[2] + 0.5, -0.22);
  point const left_hip = beside(p[2], 0.12), right_hip = beside(p[2], -0.12);
  return {limb{hip, neck},
          {neck, head},
          {left, hanging(left, 0.6, p[4], p[3])},
          {right, hanging(right, 0.6, p[5], p[3])},
          {left_hip, hanging(left_hip, 0.85, p[6], p[3])},
          {right_hip, hanging(right_hip, 0.85, p[7], p[3])}};
}

struct pixel {
  double u, v;
};

// A picture of width x height shows two metres and a half from top to bottom.
class camera {
 public:
  camera(int which, parameters const& p)
      : across_(std::cos(0.25 * 3.14159265358979 * which)),
        along_(std::sin(0.25 * 3.14159265358979 * which)),
        scale_(p.height / 2.5),
        middle_(0.5 * p.width),
        bottom_(p.height - 0.1 * p.height) {}
  pixel sees(point const& p) const {
    return {middle_ + scale_ * (p.x * across_ + p.y * along_), bottom_ - scale_ * p.z};
  }
  double scale() const { return scale_; }

 private:
  double across_, along_, scale_, middle_, bottom_;
};

struct picture {
  int width = 0, height = 0;
  std::vector<float> values;
  float at(int u, int v) const {
    return u < 0 || v < 0 || u >= width || v >= height ? 0.0F : values[static_cast<std::size_t>(v * width + u)];
  }
  float& place(int u, int v) { return values[static_cast<std::size_t>(v * width + u)]; }
  void resize(int w, int h) {
    width = w;
    height = h;
    values.assign(static_cast<std::size_t>(w * h), 0.0F);
  }
};

struct frame {
  int number;
  std::array<picture, cameras> seen, across, map;  // as seen, smoothed along the rows, smoothed: silhouette and edges
};

constexpr double thickness = 0.07;  // metres

void draw(picture& p, camera const& c, limb const& l) {
  int const steps = 40;
  int const radius = std::max(1, static_cast<int>(thickness * c.scale()));
  for (int s = 0; s <= steps; ++s) {
    double const t = static_cast<double>(s) / steps;
    pixel const at = c.sees(
        {l.from.x + t * (l.to.x - l.from.x), l.from.y + t * (l.to.y - l.from.y), l.from.z + t * (l.to.z - l.from.z)});
    int const u0 = static_cast<int>(at.u), v0 = static_cast<int>(at.v);
    for (int v = std::max(0, v0 - radius); v <= std::min(p.height - 1, v0 + radius); ++v) {
      for (int u = std::max(0, u0 - radius); u <= std::min(p.width - 1, u0 + radius); ++u) {
        if ((u - u0) * (u - u0) + (v - v0) * (v - v0) <= radius * radius) p.place(u, v) = 1.0F;
      }
    }
  }
}

// Loops: work(begin, end) for pieces of [0, n).
struct serially {
  template <typename Work>
  void operator()(std::size_t n, std::size_t, Work const& work) const {
    work(std::size_t{0}, n);
  }
};
struct by_tasks {
  template <typename Work>
  void operator()(std::size_t n, std::size_t grain, Work const& work) const {
    using range = tbb::blocked_range<std::size_t>;
    tbb::parallel_for(range(0, n, grain), [&](range const& r) { work(r.begin(), r.end()); });
  }
};

class tracker {
 public:
  explicit tracker(parameters const& p) : size(p) {
    for (int c = 0; c < cameras; ++c) {
      cameras_.emplace_back(c, p);
    }
    restart();
  }
  void restart() {
    poses.clear();
    pose const first = true_pose(0);
    particles_.assign(size.particles, first);
    weights_.assign(size.particles, 1.0 / static_cast<double>(size.particles));
  }

  // Stage 1: what the cameras send, with noise.
  std::unique_ptr<frame> read(int number) const {
    auto f = std::make_unique<frame>();
    f->number = number;
    for (std::size_t c = 0; c < cameras; ++c) {
      picture& p = f->seen[c];
      p.resize(size.width, size.height);
      f->across[c].resize(size.width, size.height);
      f->map[c].resize(size.width, size.height);
      for (limb const& l : body(true_pose(number))) draw(p, cameras_[c], l);
      for (std::size_t k = 0; k < p.values.size() / 50; ++k) {
        std::uint64_t const r = random_bits(50 + c, static_cast<std::uint64_t>(number) * 1000003 + k);
        p.values[r % p.values.size()] = static_cast<float>(r >> 63);
      }
    }
    return f;
  }

  // Stage 2: smoothed silhouettes with their edges brighter, so that limbs in front of the body are found too.
  template <typename Loop>
  void make_maps(frame& f, Loop const& loop) const {
    auto const rows = static_cast<std::size_t>(size.height);
    for (std::size_t c = 0; c < cameras; ++c) {
      loop(rows, size.rows, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) smooth_row(f.seen[c], f.across[c], static_cast<int>(v));
      });
      loop(rows, size.rows, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) smooth_columns(f.seen[c], f.across[c], f.map[c], static_cast<int>(v));
      });
    }
  }

  // Stage 3: in each layer particles are drawn anew by weight, scattered, less and less, and weighed, ever more
  // sharply.
  template <typename Loop>
  void search(frame const& f, Loop const& loop) {
    double spread = 1;
    for (int layer = 0; layer < size.layers; ++layer, spread *= 0.6) {
      draw_again(f.number, layer);
      double const sharpness = 2.0 * (layer + 1) * (layer + 1);
      loop(size.particles, size.grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          move(particles_[i], spread, f.number * size.layers + layer, i);
          weights_[i] = std::exp(-sharpness * misfit(f, particles_[i]));
        }
      });
      double const sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
      for (double& w : weights_) w /= sum;
    }
    pose mean{};
    for (std::size_t i = 0; i < size.particles; ++i) {
      for (std::size_t d = 0; d < dimensions; ++d) mean[d] += weights_[i] * particles_[i][d];
    }
    poses.push_back(mean);
  }

  // The body is found: where it stands to within a hand's breadth.
  bool follows() const {
    for (int n = 0; n < size.frames; ++n) {
      pose const t = true_pose(n), &found = expected[static_cast<std::size_t>(n)];
      if (std::hypot(found[0] - t[0], found[1] - t[1], found[2] - t[2]) > 0.1) return false;
    }
    return true;
  }

  parameters const size;
  std::vector<pose> poses, expected;

 private:
  static constexpr std::array<float, 5> kernel = {1.0F / 16, 4.0F / 16, 6.0F / 16, 4.0F / 16, 1.0F / 16};

  static void smooth_row(picture const& from, picture& to, int v) {
    for (int u = 0; u < from.width; ++u) {
      float sum = 0;
      for (int k = -2; k <= 2; ++k) sum += kernel[static_cast<std::size_t>(k + 2)] * from.at(u + k, v);
      to.place(u, v) = sum;
    }
  }
  static void smooth_columns(picture const& seen, picture const& across, picture& to, int v) {
    for (int u = 0; u < seen.width; ++u) {
      float sum = 0;
      for (int k = -2; k <= 2; ++k) sum += kernel[static_cast<std::size_t>(k + 2)] * across.at(u, v + k);
      float const dx = seen.at(u + 1, v) - seen.at(u - 1, v), dy = seen.at(u, v + 1) - seen.at(u, v - 1);
      to.place(u, v) = std::min(1.0F, 0.8F * sum + 0.2F * std::sqrt(dx * dx + dy * dy));
    }
  }
  void draw_again(int number, int layer) {
    std::vector<pose> const before = particles_;
    double const offset = uniform(51, static_cast<std::uint64_t>(number * size.layers + layer));
    double sum = weights_[0];
    std::size_t from = 0;
    for (std::size_t i = 0; i < size.particles; ++i) {
      double const wanted = (static_cast<double>(i) + offset) / static_cast<double>(size.particles);
      while (sum < wanted && from + 1 < size.particles) sum += weights_[++from];
      particles_[i] = before[from];
    }
  }
  void move(pose& p, double spread, int layer, std::size_t i) const {
    std::uint64_t const place = (static_cast<std::uint64_t>(layer) * size.particles + i) * dimensions;
    for (std::size_t d = 0; d < dimensions; ++d) p[d] += spread * scatter[d] * normal(52, place + d);
  }
  // How much darker than bright the maps are along the limbs, and how bright beside them, summed over the cameras.
  double misfit(frame const& f, pose const& p) const {
    constexpr int samples = 8;
    std::array<limb, limbs> const b = body(p);
    double total = 0;
    for (std::size_t c = 0; c < cameras; ++c) {
      double const aside = 1.6 * thickness * cameras_[c].scale();
      for (limb const& l : b) {
        pixel const a = cameras_[c].sees(l.from), e = cameras_[c].sees(l.to);
        double const length = std::max(1e-6, std::hypot(e.u - a.u, e.v - a.v));
        double const side_u = -(e.v - a.v) / length * aside, side_v = (e.u - a.u) / length * aside;
        for (int s = 0; s < samples; ++s) {
          double const t = (s + 0.5) / samples;
          double const u = a.u + t * (e.u - a.u), v = a.v + t * (e.v - a.v);
          auto const look = [&](double x, double y) { return f.map[c].at(static_cast<int>(x), static_cast<int>(y)); };
          double const dark = 1 - look(u, v);
          double const beside = 0.5 * (look(u + side_u, v + side_v) + look(u - side_u, v - side_v));
          total += dark * dark + 0.3 * beside * beside;
        }
      }
    }
    return total / samples;
  }

  std::vector<camera> cameras_;
  std::vector<pose> particles_;
  std::vector<double> weights_;
};

#if TBB_INTERFACE_VERSION < 12000
using mode = tbb::filter;
#else
using mode = tbb::filter_mode;
#endif

void track_in_pipeline(tracker& t) {
  int next = 0;
  t.restart();
  tbb::parallel_pipeline(
      tokens, tbb::make_filter<void, frame*>(mode::serial_in_order, [&](tbb::flow_control& control) -> frame* {
                if (next == t.size.frames) {
                  control.stop();
                  return nullptr;
                }
                return t.read(next++).release();
              }) & tbb::make_filter<frame*, frame*>(mode::parallel, [&](frame* f) {
                t.make_maps(*f, by_tasks());
                return f;
              }) & tbb::make_filter<frame*, void>(mode::serial_in_order, [&](frame* f) {
                std::unique_ptr<frame> const mine(f);
                t.search(*mine, by_tasks());
              }));
}

}  // namespace

problem bodytrack(size_class s) {
  auto const t = std::make_shared<tracker>(of(sizes, s));
  problem p;
  p.serial = [t] {
    t->restart();
    for (int n = 0; n < t->size.frames; ++n) {
      std::unique_ptr<frame> const f = t->read(n);
      t->make_maps(*f, serially());
      t->search(*f, serially());
    }
    t->expected = t->poses;
  };
  p.tasks = [t] { track_in_pipeline(*t); };
  p.right = [t] { return t->poses == t->expected; };
  p.plausible = [t] { return t->follows(); };
  return p;
}

}  // namespace study
