// SPDX-License-Identifier: Apache-2.0
// The conjugate gradient method (Hestenes and Stiefel 1952) for a sparse matrix in compressed rows, apart from how it
// is parallelised: every step is three passes over ranges of rows. The matrix is the five-point Laplacian of a square
// grid.
#pragma once

#include "common/random.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace programs {

class conjugate_gradient_data {
 public:
  static constexpr int steps = 400;

  explicit conjugate_gradient_data(double scale) {
    auto const edge = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(scaled(scale, 400 * 400, 400))));
    std::size_t const n = std::size_t{edge} * edge;
    first_.push_back(0);
    for (std::uint32_t y = 0; y < edge; ++y) {
      for (std::uint32_t x = 0; x < edge; ++x) {
        if (y > 0) add(-1, (y - 1) * edge + x);
        if (x > 0) add(-1, y * edge + x - 1);
        add(4, y * edge + x);
        if (x + 1 < edge) add(-1, y * edge + x + 1);
        if (y + 1 < edge) add(-1, (y + 1) * edge + x);
        first_.push_back(static_cast<std::uint32_t>(columns_.size()));
      }
    }
    random_stream random(31);
    for (std::size_t i = 0; i < n; ++i) b_.push_back(random.between(-1, 1));
    x_.assign(n, 0);
    r_ = p_ = b_;
    q_.resize(n);
    for (double const v : b_) start_ += v * v;
  }

  std::size_t size() const { return b_.size(); }

  // q = A p for these rows; returns their part of p * q.
  __attribute__((noinline)) double multiply(std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i != end; ++i) {
      double row = 0;
      for (std::uint32_t k = first_[i]; k != first_[i + 1]; ++k) row += values_[k] * p_[columns_[k]];
      q_[i] = row;
      sum += row * p_[i];
    }
    return sum;
  }
  // x += alpha p, r -= alpha q; returns the rows' part of r * r.
  __attribute__((noinline)) double advance(std::size_t begin, std::size_t end, double alpha) {
    double sum = 0;
    for (std::size_t i = begin; i != end; ++i) {
      x_[i] += alpha * p_[i];
      r_[i] -= alpha * q_[i];
      sum += r_[i] * r_[i];
    }
    return sum;
  }
  // p = r + beta p.
  __attribute__((noinline)) void turn(std::size_t begin, std::size_t end, double beta) {
    for (std::size_t i = begin; i != end; ++i) p_[i] = r_[i] + beta * p_[i];
  }
  double start() const { return start_; }
  void finish(double residual) { residual_ = residual; }

  char const* wrong() const {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      double row = b_[i];
      for (std::uint32_t k = first_[i]; k != first_[i + 1]; ++k) row -= values_[k] * x_[columns_[k]];
      sum += row * row;
    }
    // The residual kept up by the method is that of the solution, and it has fallen.
    return std::fabs(std::sqrt(sum) - std::sqrt(residual_)) < 1e-8 * std::sqrt(start_) && residual_ < 1e-2 * start_
               ? nullptr
               : "residual";
  }

 private:
  void add(double value, std::uint32_t column) {
    values_.push_back(value);
    columns_.push_back(column);
  }

  std::vector<std::uint32_t> first_, columns_;
  std::vector<double> values_, b_, x_, r_, p_, q_;
  double start_ = 0, residual_ = 0;
};

}  // namespace programs
