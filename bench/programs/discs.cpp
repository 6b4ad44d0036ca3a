// SPDX-License-Identifier: Apache-2.0
// A pile of soft discs in a box: in each step the discs are sorted into the cells of a grid by one thread (a counting
// sort), then a parallel_for finds the forces of the discs in each row of cells, and another moves the discs. So a loop
// of some hundred microseconds follows a serial section of a similar length, as in many simulations that were made
// parallel loop by loop.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

struct disc {
  float x, y, vx, vy;
  bool operator==(disc const& o) const { return x == o.x && y == o.y && vx == o.vx && vy == o.vy; }
};

constexpr float diameter = 1, stiffness = 4000, damping = 6, gravity = -10, time_step = 5e-4F;
constexpr int steps = 400;

class discs {
 public:
  explicit discs(double scale) {
    std::size_t const n = programs::scaled(scale, 24000, 600);
    cells_ = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(n)) * 1.1));
    programs::random_stream random(41);
    auto const columns = static_cast<std::size_t>(cells_ - 1);
    for (std::size_t i = 0; i < n; ++i) {
      discs_.push_back({static_cast<float>(i % columns) * 1.01F + 0.6F, static_cast<float>(i / columns) * 1.01F + 0.6F,
                        static_cast<float>(random.between(-3, 3)), static_cast<float>(random.between(-3, 3))});
    }
    sorted_.resize(n);
    forces_.resize(n);
    begin_.resize(static_cast<std::size_t>(cells_) * static_cast<std::size_t>(cells_) + 1);
    at_first_ = discs_;
  }

  void work() {
    simulate([](int n, auto const& rows) {
      tbb::parallel_for(tbb::blocked_range<int>(0, n),
                        [&](tbb::blocked_range<int> const& r) { rows(r.begin(), r.end()); });
    });
  }

  // The same forces are added in the same order whatever the number of threads.
  char const* wrong() {
    std::vector<disc> const result = discs_;
    discs_ = at_first_;
    simulate([](int n, auto const& rows) { rows(0, n); });
    if (!(result == discs_)) return "the discs lie elsewhere than those of the serial simulation";
    for (disc const& d : discs_) {
      if (!(d.x > -1 && d.x < width() + 1 && d.y > -1 && d.y < width() + 1)) return "a disc has left the box";
    }
    return nullptr;
  }

 private:
  struct force {
    float x, y;
  };

  float width() const { return static_cast<float>(cells_); }
  int cell_of(float at) const { return std::clamp(static_cast<int>(at), 0, cells_ - 1); }
  std::size_t cell(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(cells_) + static_cast<std::size_t>(x);
  }

  template <typename Loop>
  void simulate(Loop const& loop) {
    for (int step = 0; step < steps; ++step) {
      sort_into_cells();
      loop(cells_, [this](int first, int last) {
        for (int y = first; y < last; ++y) find_forces(y);
      });
      loop(static_cast<int>(discs_.size() / 64 + 1), [this](int first, int last) {
        std::size_t const end = std::min(discs_.size(), static_cast<std::size_t>(last) * 64);
        for (std::size_t i = static_cast<std::size_t>(first) * 64; i < end; ++i) move(i);
      });
    }
  }

  void sort_into_cells() {
    std::fill(begin_.begin(), begin_.end(), 0U);
    for (disc const& d : discs_) ++begin_[cell(cell_of(d.x), cell_of(d.y))];
    std::uint32_t sum = 0;
    for (std::uint32_t& b : begin_) b = sum += b;
    for (std::size_t i = discs_.size(); i-- > 0;) {
      disc const& d = discs_[i];
      sorted_[--begin_[cell(cell_of(d.x), cell_of(d.y))]] = d;
    }
  }

  void find_forces(int y) {
    for (int x = 0; x < cells_; ++x) {
      for (std::uint32_t i = begin_[cell(x, y)]; i < begin_[cell(x, y) + 1]; ++i) forces_[i] = force_on(i, x, y);
    }
  }

  force force_on(std::uint32_t i, int x, int y) const {
    disc const& d = sorted_[i];
    force sum{wall(d.x, d.vx) - wall(width() - d.x, -d.vx), gravity + wall(d.y, d.vy) - wall(width() - d.y, -d.vy)};
    for (int row = std::max(0, y - 1); row <= std::min(cells_ - 1, y + 1); ++row) {
      std::uint32_t const last = begin_[cell(std::min(cells_ - 1, x + 1), row) + 1];
      for (std::uint32_t j = begin_[cell(std::max(0, x - 1), row)]; j < last; ++j) {
        if (j == i) continue;
        disc const& o = sorted_[j];
        float const dx = d.x - o.x, dy = d.y - o.y, r2 = dx * dx + dy * dy;
        if (r2 >= diameter * diameter || r2 == 0) continue;
        float const r = std::sqrt(r2), along = ((d.vx - o.vx) * dx + (d.vy - o.vy) * dy) / r;
        float const size = (stiffness * (diameter - r) - damping * along) / r;
        sum.x += size * dx;
        sum.y += size * dy;
      }
    }
    return sum;
  }

  // Of a wall at this distance.
  static float wall(float distance, float speed) {
    return distance < diameter / 2 ? stiffness * (diameter / 2 - distance) - damping * speed : 0.0F;
  }

  void move(std::size_t i) {
    disc d = sorted_[i];
    d.vx += time_step * forces_[i].x;
    d.vy += time_step * forces_[i].y;
    d.x += time_step * d.vx;
    d.y += time_step * d.vy;
    discs_[i] = d;
  }

  int cells_ = 0;
  std::vector<disc> discs_, sorted_, at_first_;
  std::vector<force> forces_;
  std::vector<std::uint32_t> begin_;  // of each cell in sorted_, and the end
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<discs>(argc, argv); }
