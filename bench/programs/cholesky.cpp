// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisation by tiles: every step of a tile is a task that starts when the steps that it needs are over,
// counted by atomic counters (Buttari, Langou, Kurzak, Dongarra 2009); all tasks belong to one task_group.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/task_group.h>

#include <atomic>
#include <cmath>
#include <vector>

namespace {

constexpr std::size_t edge = 48;  // of a tile
using tile = std::vector<double>;

// a = its Cholesky factor, lower triangle.
void factor(tile& a) {
  for (std::size_t k = 0; k < edge; ++k) {
    double sum = a[k * edge + k];
    for (std::size_t j = 0; j < k; ++j) sum -= a[k * edge + j] * a[k * edge + j];
    double const pivot = a[k * edge + k] = std::sqrt(sum);
    for (std::size_t i = k + 1; i < edge; ++i) {
      double s = a[i * edge + k];
      for (std::size_t j = 0; j < k; ++j) s -= a[i * edge + j] * a[k * edge + j];
      a[i * edge + k] = s / pivot;
    }
    for (std::size_t j = k + 1; j < edge; ++j) a[k * edge + j] = 0;
  }
}

// b = b l^-T.
void solve(tile& b, tile const& l) {
  for (std::size_t i = 0; i < edge; ++i) {
    for (std::size_t k = 0; k < edge; ++k) {
      double s = b[i * edge + k];
      for (std::size_t j = 0; j < k; ++j) s -= b[i * edge + j] * l[k * edge + j];
      b[i * edge + k] = s / l[k * edge + k];
    }
  }
}

// c -= a b^T, four columns at a time.
__attribute__((noinline)) void update(tile& c, tile const& a, tile const& b) {
  for (std::size_t i = 0; i < edge; ++i) {
    for (std::size_t j = 0; j < edge; j += 4) {
      double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (std::size_t k = 0; k < edge; ++k) {
        double const x = a[i * edge + k];
        s0 += x * b[j * edge + k];
        s1 += x * b[(j + 1) * edge + k];
        s2 += x * b[(j + 2) * edge + k];
        s3 += x * b[(j + 3) * edge + k];
      }
      c[i * edge + j] -= s0;
      c[i * edge + j + 1] -= s1;
      c[i * edge + j + 2] -= s2;
      c[i * edge + j + 3] -= s3;
    }
  }
}

class cholesky {
 public:
  explicit cholesky(double scale)
      : n_(static_cast<std::size_t>(38 * std::cbrt(scale)) + 1), tiles_(n_ * n_, tile(edge * edge)), missing_(n_ * n_) {
    programs::random_stream random(47);
    std::size_t const size = n_ * edge;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) at(i, j) = at(j, i) = random.between(-1, 1);
      at(i, i) += static_cast<double>(size);
    }
    for (std::size_t i = 0; i < size; ++i) x_.push_back(random.between(-1, 1));
    product_.assign(size, 0);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) product_[i] += at(i, j) * x_[j];
    }
  }

  void work() {
    // Tile (i, j) needs one update from each column before j, and, off the diagonal, the factor of tile (j, j).
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) missing_[i * n_ + j].store(static_cast<int>(j + (i == j ? 0 : 1)));
    }
    // Made here, because in TBB 2020 the first task_group decides how many threads there are.
    tbb::task_group tasks;
    tasks_ = &tasks;
    finish(0, 0);
    tasks.wait();
  }

  char const* wrong() const {
    std::size_t const size = n_ * edge;
    std::vector<double> y(size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i; j < size; ++j) y[i] += lower(j, i) * x_[j];
    }
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j <= i; ++j) sum += lower(i, j) * y[j];
      if (!(std::fabs(sum - product_[i]) < 1e-8 * static_cast<double>(size))) return "L times its transpose";
    }
    return nullptr;
  }

 private:
  double& at(std::size_t i, std::size_t j) { return tiles_[i / edge * n_ + j / edge][i % edge * edge + j % edge]; }
  double lower(std::size_t i, std::size_t j) const {
    return tiles_[i / edge * n_ + j / edge][i % edge * edge + j % edge];
  }
  tile& of(std::size_t i, std::size_t j) { return tiles_[i * n_ + j]; }

  // Called when one more of the things that a tile needs is there.
  void arrive(std::size_t i, std::size_t j) {
    if (missing_[i * n_ + j].fetch_sub(1) == 1) tasks_->run([=] { finish(i, j); });
  }

  // All updates of the tile at once, then its factor or solution; then it is told to those that need it.
  void finish(std::size_t i, std::size_t j) {
    for (std::size_t k = 0; k < j; ++k) update(of(i, j), of(i, k), of(j, k));
    if (i == j) {
      factor(of(i, i));
      for (std::size_t row = i + 1; row < n_; ++row) arrive(row, i);
      return;
    }
    solve(of(i, j), of(j, j));
    // Row i of tiles waits for this column; so does the diagonal tile.
    for (std::size_t column = j + 1; column <= i; ++column) arrive(i, column);
  }

  std::size_t const n_;
  std::vector<tile> tiles_;
  std::vector<std::atomic<int>> missing_;
  std::vector<double> x_, product_;
  tbb::task_group* tasks_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<cholesky>(argc, argv); }
