// SPDX-License-Identifier: Apache-2.0
// An incompressible fluid that falls in a box, by smoothed particle hydrodynamics as in Mueller, Charypar, Gross,
// "Particle-based fluid simulation for interactive applications" (2003). Each phase of a step is a task_list of as many
// tasks as there are blocks, spawned and waited for; between two phases everything waits. Particles gather from their
// neighbours and are sorted into cells stably, so the division of the work does not show in the result.
#include "common/library.h"

#if KERNEL_CLASSIC_TASKS

#include "common/fixed_team.h"
#include "common/random.h"
#include "common/study.h"

#include <tbb/task.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace study {
namespace {

struct parameters {
  std::size_t particles;
  int steps;
  std::size_t blocks;  // tasks of a phase
};
constexpr parameters sizes[] = {{2000, 4, 16}, {35000, 5, 64}, {100000, 5, 64}, {300000, 5, 64}, {500000, 50, 64}};

struct vec {
  double x, y, z;
  vec operator+(vec const& o) const { return {x + o.x, y + o.y, z + o.z}; }
  vec operator-(vec const& o) const { return {x - o.x, y - o.y, z - o.z}; }
  vec operator*(double s) const { return {s * x, s * y, s * z}; }
  double squared() const { return x * x + y * y + z * z; }
  bool operator==(vec const& o) const { return x == o.x && y == o.y && z == o.z; }
};

struct particle {
  vec at, speed;
  bool operator==(particle const& o) const { return at == o.at && speed == o.speed; }
};

constexpr double rest_density = 1000, sound = 10, gravity = 9.81, pi = 3.14159265358979323846;

// The unit cube, the fluid in its left half.
class fluid {
 public:
  explicit fluid(parameters const& p)
      : size(p),
        spacing_(std::cbrt(0.5 / static_cast<double>(p.particles))),
        reach_(2 * spacing_),
        mass_(rest_density * spacing_ * spacing_ * spacing_),
        time_step_(0.2 * reach_ / sound),
        side_(static_cast<std::size_t>(1 / reach_)),
        cells_(side_ * side_ * side_) {
    std::size_t const edge = static_cast<std::size_t>(1 / spacing_);
    for (std::size_t i = 0; i < p.particles; ++i) {
      vec const grid{static_cast<double>(i / (edge * edge)), static_cast<double>(i % edge),
                     static_cast<double>(i / edge % edge)};
      vec const shift{uniform(30, 3 * i, 0.3, 0.7), uniform(30, 3 * i + 1, 0.3, 0.7), uniform(30, 3 * i + 2, 0.3, 0.7)};
      original_.push_back({(grid + shift) * spacing_, {0, 0, 0}});
    }
    cell_of_.resize(p.particles);
    density_.resize(p.particles);
    acceleration_.resize(p.particles);
    sorted_.resize(p.particles);
    begin_.resize(cells_ + 1);
    counts_.resize(p.blocks * cells_);
  }

  static constexpr int phases = 5;

  void restart() { particles = original_; }

  // One block of one phase; the blocks of a phase are independent of each other.
  void phase(int which, std::size_t block) {
    share const mine = {size.particles * block / size.blocks, size.particles * (block + 1) / size.blocks};
    switch (which) {
      case 0:
        return count(mine, &counts_[block * cells_]);
      case 1:
        return sort(mine, &counts_[block * cells_]);
      case 2:
        return for_each_of(mine, [this](std::size_t i) { density_[i] = density_at(i); });
      case 3:
        return for_each_of(mine, [this](std::size_t i) { acceleration_[i] = acceleration_at(i); });
      default:
        return for_each_of(mine, [this](std::size_t i) { advance(sorted_[i], acceleration_[i], particles[i]); });
    }
  }

  // What one thread does after a phase: where the particles of each block and cell go.
  void after(int which) {
    if (which != 0) return;
    std::fill(begin_.begin(), begin_.end(), 0);
    for (std::size_t b = 0; b < size.blocks; ++b) {
      for (std::size_t c = 0; c < cells_; ++c) begin_[c + 1] += counts_[b * cells_ + c];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t b = 0; b < size.blocks; ++b) {
      for (std::size_t c = 0; c < cells_; ++c) {
        next[c] += std::exchange(counts_[b * cells_ + c], next[c]);
      }
    }
  }

  // It has fallen, none has left the box, and the fluid has about its density.
  bool falls() const {
    double before = 0, now = 0, mean = 0;
    bool inside = true;
    for (std::size_t i = 0; i < size.particles; ++i) {
      vec const& p = expected[i].at;
      before += original_[i].at.y;
      now += p.y;
      mean += density_[i] / static_cast<double>(size.particles);
      inside = inside && p.x >= 0 && p.x <= 1 && p.y >= 0 && p.y <= 1 && p.z >= 0 && p.z <= 1;
    }
    double const fallen = (before - now) / static_cast<double>(size.particles);
    double const seconds = time_step_ * size.steps;
    double const freely = 0.5 * gravity * seconds * seconds * (1 + 1.0 / size.steps);
    return inside && fallen > 0.2 * freely && fallen < 1.1 * freely && mean > 0.7 * rest_density &&
           mean < 1.3 * rest_density;
  }

  parameters const size;

 private:
  template <typename Work>
  static void for_each_of(share s, Work const& work) {
    for (std::size_t i = s.begin; i < s.end; ++i) work(i);
  }
  std::size_t coordinate(double x) const {
    return std::min(static_cast<std::size_t>(x * static_cast<double>(side_)), side_ - 1);
  }
  void count(share s, std::uint32_t* counts) {
    std::fill(counts, counts + cells_, 0);
    for_each_of(s, [&](std::size_t i) {
      vec const& p = particles[i].at;
      cell_of_[i] = static_cast<std::uint32_t>((coordinate(p.x) * side_ + coordinate(p.z)) * side_ + coordinate(p.y));
      ++counts[cell_of_[i]];
    });
  }
  void sort(share s, std::uint32_t* next) {
    for_each_of(s, [&](std::size_t i) { sorted_[next[cell_of_[i]]++] = particles[i]; });
  }
  // Calls visit(j, way from j to i, squared distance) for the particles within reach.
  template <typename Visit>
  void for_neighbours(std::size_t i, Visit const& visit) const {
    vec const& p = sorted_[i].at;
    std::size_t const x = coordinate(p.x), y = coordinate(p.y), z = coordinate(p.z);
    double const within = reach_ * reach_;
    for (std::size_t cx = x - (x > 0); cx <= std::min(x + 1, side_ - 1); ++cx) {
      for (std::size_t cz = z - (z > 0); cz <= std::min(z + 1, side_ - 1); ++cz) {
        std::size_t const row = (cx * side_ + cz) * side_;  // cells above each other are neighbours in memory
        for (std::uint32_t j = begin_[row + y - (y > 0)]; j < begin_[row + std::min(y + 1, side_ - 1) + 1]; ++j) {
          vec const way = p - sorted_[j].at;
          double const squared = way.squared();
          if (squared < within) visit(j, way, squared);
        }
      }
    }
  }
  double density_at(std::size_t i) const {
    double const h2 = reach_ * reach_;
    double sum = 0;
    for_neighbours(i, [&](std::uint32_t, vec const&, double squared) {
      double const d = h2 - squared;
      sum += d * d * d;
    });
    return mass_ * 315 / (64 * pi * std::pow(reach_, 9)) * sum;
  }
  double pressure(double density) const { return std::max(0.0, sound * sound * (density - rest_density)); }
  vec acceleration_at(std::size_t i) const {
    double const viscosity = 0.05 * rest_density * reach_ * sound;
    double const scale = mass_ * 45 / (pi * std::pow(reach_, 6));
    vec force{0, -gravity * density_[i], 0};
    for_neighbours(i, [&](std::uint32_t j, vec const& way, double squared) {
      double const r = std::sqrt(squared);
      if (j == i || r == 0) return;
      double const d = reach_ - r;
      double const push = scale * (pressure(density_[i]) + pressure(density_[j])) / (2 * density_[j]) * d * d / r;
      double const drag = scale * viscosity / density_[j] * d;
      force = force + way * push + (sorted_[j].speed - sorted_[i].speed) * drag;
    });
    return force * (1 / density_[i]);
  }
  // A wall returns half of the speed.
  static void bounce(double& x, double& speed) {
    if (x >= 0 && x <= 1) return;
    x = x < 0 ? 0 : 1;
    speed *= -0.5;
  }
  void advance(particle const& from, vec const& acceleration, particle& to) const {
    to.speed = from.speed + acceleration * time_step_;
    to.at = from.at + to.speed * time_step_;
    bounce(to.at.x, to.speed.x);
    bounce(to.at.y, to.speed.y);
    bounce(to.at.z, to.speed.z);
  }

  double const spacing_, reach_, mass_, time_step_;
  std::size_t const side_, cells_;
  std::vector<particle> original_, sorted_;
  std::vector<std::uint32_t> cell_of_, begin_, counts_;
  std::vector<double> density_;
  std::vector<vec> acceleration_;

 public:
  std::vector<particle> particles, expected;
};

class phase_task : public tbb::task {
 public:
  phase_task(fluid& f, int which, std::size_t block) : fluid_(f), which_(which), block_(block) {}
  tbb::task* execute() override {
    fluid_.phase(which_, block_);
    return nullptr;
  }

 private:
  fluid& fluid_;
  int const which_;
  std::size_t const block_;
};

void phase_by_tasks(fluid& f, int which) {
  tbb::task& root = *new (tbb::task::allocate_root()) tbb::empty_task;
  tbb::task_list list;
  for (std::size_t b = 0; b < f.size.blocks; ++b) {
    list.push_back(*new (root.allocate_child()) phase_task(f, which, b));
  }
  root.set_ref_count(static_cast<int>(f.size.blocks) + 1);
  root.spawn_and_wait_for_all(list);
  tbb::task::destroy(root);
}

// Calls run_phase(which) for the phases of all steps.
template <typename Phase>
void simulate(fluid& f, Phase const& run_phase) {
  f.restart();
  for (int s = 0; s < f.size.steps; ++s) {
    for (int which = 0; which < fluid::phases; ++which) {
      run_phase(which);
      f.after(which);
    }
  }
}

void simulate_by_threads(fluid& f, int threads) {
  f.restart();
  barrier arrived(threads), ready(threads);
  on_threads(threads, [&](int k) {
    share const mine = share_of(f.size.blocks, threads, k);
    for (int i = 0; i < f.size.steps * fluid::phases; ++i) {
      int const which = i % fluid::phases;
      for (std::size_t b = mine.begin; b < mine.end; ++b) f.phase(which, b);
      if (arrived.wait()) f.after(which);
      ready.wait();
    }
  });
}

}  // namespace

problem fluidanimate(size_class s) {
  auto const f = std::make_shared<fluid>(of(sizes, s));
  problem p;
  p.serial = [f] {
    simulate(*f, [&](int which) {
      for (std::size_t b = 0; b < f->size.blocks; ++b) f->phase(which, b);
    });
    f->expected = f->particles;
  };
  p.tasks = [f] { simulate(*f, [&](int which) { phase_by_tasks(*f, which); }); };
  p.fixed = [f](int threads) { simulate_by_threads(*f, threads); };
  p.right = [f] { return f->particles == f->expected; };
  p.plausible = [f] { return f->falls(); };
  return p;
}

}  // namespace study

#endif
