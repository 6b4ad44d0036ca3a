// SPDX-License-Identifier: Apache-2.0
// The matrices of both matrix multiplications, their common innermost loops and their check.
#pragma once

#include "common/random.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace study {

struct matrices {
  explicit matrices(std::size_t order) : n(order), a(n * n), b(n * n), c(n * n), expected(n * n) {
    for (std::size_t i = 0; i < n * n; ++i) {
      a[i] = uniform(5, i, -1, 1);
      b[i] = uniform(6, i, -1, 1);
    }
  }
  // c[rows, columns] += a[rows, inner] * b[inner, columns]. Each element sums its products in ascending order, so that
  // any division of the work gives the same bits.
  void multiply(std::size_t row, std::size_t row_end, std::size_t column, std::size_t column_end, std::size_t inner,
                std::size_t inner_end) {
    for (std::size_t i = row; i < row_end; ++i) {
      for (std::size_t k = inner; k < inner_end; ++k) {
        double const x = a[i * n + k];
        for (std::size_t j = column; j < column_end; ++j) {
          c[i * n + j] += x * b[k * n + j];
        }
      }
    }
  }
  void clear() { c.assign(n * n, 0); }
  // Freivalds 1977: A (B v) = C v for a random v of 0 and 1.
  bool is_product() const {
    std::vector<double> bv(n), cv(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double const v = static_cast<double>(random_bits(7, j) & 1);
        bv[i] += b[i * n + j] * v;
        cv[i] += expected[i * n + j] * v;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      double abv = 0;
      for (std::size_t j = 0; j < n; ++j) {
        abv += a[i * n + j] * bv[j];
      }
      if (!(std::fabs(abv - cv[i]) < 1e-9 * static_cast<double>(n))) {
        return false;
      }
    }
    return true;
  }

  std::size_t const n;
  std::vector<double> a, b, c, expected;
};

}  // namespace study
