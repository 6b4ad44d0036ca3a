// SPDX-License-Identifier: Apache-2.0
// A cloth that falls over a ball, frame by frame, as a game or a viewer shows it: each frame is some parallel loops of
// 50 to 200 microseconds, and then the program waits for the display, which asks for 120 frames a second. The time told
// is what the frames take to compute; the waits are not counted.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

struct point {
  float x = 0, y = 0, z = 0;
  friend point operator+(point const& a, point const& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend point operator-(point const& a, point const& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend point operator*(float f, point const& a) { return {f * a.x, f * a.y, f * a.z}; }
  bool operator==(point const& o) const { return x == o.x && y == o.y && z == o.z; }
};
float length(point const& a) { return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

constexpr int frames_shown = 150, relaxations = 8;
constexpr float spacing = 0.02F, fall = -9.81F / 120 / 120, friction = 0.99F;

class frames {
 public:
  explicit frames(double scale)
      : size_(static_cast<int>(std::sqrt(static_cast<double>(programs::scaled(scale, 112 * 112, 400))))),
        radius_(static_cast<float>(size_) * spacing / 4) {
    for (int i = 0; i < size_ * size_; ++i) {
      now_.push_back({static_cast<float>(i % size_ - size_ / 2) * spacing, radius_ * 1.05F,
                      static_cast<float>(i / size_ - size_ / 2) * spacing});
    }
    before_ = next_ = at_first_ = now_;
  }

  void work() {
    using clock = std::chrono::steady_clock;
    clock::time_point due = clock::now();
    for (int f = 0; f < frames_shown; ++f) {
      compute_frame([](int n, auto const& rows) {
        tbb::parallel_for(tbb::blocked_range<int>(0, n),
                          [&](tbb::blocked_range<int> const& r) { rows(r.begin(), r.end()); });
      });
      clock::time_point const done = clock::now();
      due += std::chrono::microseconds(8333);
      if (due < done) due = done;  // the frame was late
      std::this_thread::sleep_until(due);
      waited_ += std::chrono::duration<double>(clock::now() - done).count();
    }
  }

  // What of work() was waiting for the display.
  double waited() const { return waited_; }

  char const* wrong() {
    std::vector<point> const result = now_;
    now_ = before_ = at_first_;
    for (int f = 0; f < frames_shown; ++f) compute_frame([](int n, auto const& rows) { rows(0, n); });
    if (!(result == now_)) return "the cloth lies elsewhere than that of the serial simulation";
    for (point const& p : now_) {
      if (length(p) < radius_ * 0.98F) return "the cloth has gone through the ball";
    }
    return nullptr;
  }

 private:
  template <typename Loop>
  void compute_frame(Loop const& loop) {
    loop(size_, [this](int first, int last) {
      for (int i = first * size_; i < last * size_; ++i) {
        point const at = now_[index(i)];
        next_[index(i)] = at + friction * (at - before_[index(i)]) + point{0, fall, 0};
        before_[index(i)] = at;
      }
    });
    now_.swap(next_);
    for (int k = 0; k < relaxations; ++k) {
      loop(size_, [this](int first, int last) {
        for (int y = first; y < last; ++y) relax(y);
      });
      now_.swap(next_);
    }
  }

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  // Moves the points of a row half-way to where their four neighbours want them, and out of the ball.
  void relax(int y) {
    for (int x = 0; x < size_; ++x) {
      point const at = now_[index(y * size_ + x)];
      point wish;
      int neighbours = 0;
      auto const ask = [&](int nx, int ny) {
        if (nx < 0 || ny < 0 || nx >= size_ || ny >= size_) return;
        point const other = now_[index(ny * size_ + nx)];
        point const d = at - other;
        wish = wish + other + (spacing / (length(d) + 1e-9F)) * d;
        ++neighbours;
      };
      ask(x - 1, y);
      ask(x + 1, y);
      ask(x, y - 1);
      ask(x, y + 1);
      point to = 0.5F * (at + (1.0F / static_cast<float>(neighbours)) * wish);
      float const r = length(to);
      if (r < radius_) to = (radius_ / r) * to;
      next_[index(y * size_ + x)] = to;
    }
  }

  int size_;
  float radius_;
  double waited_ = 0;
  std::vector<point> now_, before_, next_, at_first_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<frames>(argc, argv); }
