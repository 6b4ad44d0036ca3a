// SPDX-License-Identifier: Apache-2.0
// LU reduction of a dense matrix without pivoting, as on the slide "Annotation and Management" of IISWC'08: for each
// column a parallel_for over the rows below it, in explicit chunks; the loops shrink, so the last ones are hardly worth
// a task.
#include "common/library.h"
#include "common/random.h"
#include "common/study.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace study {
namespace {

struct parameters {
  std::size_t n, chunk;
};
constexpr parameters sizes[] = {{64, 8}, {256, 8}, {512, 8}, {1024, 8}, {2048, 8}};

class reduction {
 public:
  explicit reduction(parameters const& p) : n(p.n), chunk(p.chunk), original(n * n) {
    for (std::size_t i = 0; i < n * n; ++i) {
      original[i] = uniform(4, i, -1, 1);
    }
    for (std::size_t i = 0; i < n; ++i) {  // a dominant diagonal: stable without pivoting
      original[i * n + i] = static_cast<double>(n);
    }
  }
  // Rows [begin, end) below the pivot row k; the column below the diagonal receives L.
  __attribute__((noinline)) void reduce(std::size_t k, std::size_t begin, std::size_t end) {
    double const* pivot = &m[k * n];
    for (std::size_t i = begin; i < end; ++i) {
      double* row = &m[i * n];
      double const l = row[k] /= pivot[k];
      for (std::size_t j = k + 1; j < n; ++j) {
        row[j] -= l * pivot[j];
      }
    }
  }
  // Whether L times U is the matrix, at a thousand places.
  bool is_product() const {
    std::size_t const step = std::max<std::size_t>(1, n / 32);
    for (std::size_t i = 0; i < n; i += step) {
      for (std::size_t j = 0; j < n; j += step) {
        double sum = i <= j ? expected[i * n + j] : 0;
        for (std::size_t k = 0; k < (i <= j ? i : j + 1); ++k) {
          sum += expected[i * n + k] * expected[k * n + j];
        }
        if (std::fabs(sum - original[i * n + j]) > 1e-9 * static_cast<double>(n)) {
          return false;
        }
      }
    }
    return true;
  }

  std::size_t const n, chunk;
  std::vector<double> original, m, expected;
};

}  // namespace

problem lu(size_class s) {
  auto const r = std::make_shared<reduction>(of(sizes, s));
  problem p;
  p.serial = [r] {
    r->m = r->original;
    for (std::size_t k = 0; k + 1 < r->n; ++k) {
      r->reduce(k, k + 1, r->n);
    }
    r->expected = r->m;
  };
  p.tasks = [r] {
    r->m = r->original;
    for (std::size_t k = 0; k + 1 < r->n; ++k) {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(k + 1, r->n, r->chunk),
          [&](tbb::blocked_range<std::size_t> const& rows) { r->reduce(k, rows.begin(), rows.end()); },
          tbb::simple_partitioner());
    }
  };
  p.right = [r] { return r->m == r->expected; };
  p.plausible = [r] { return r->is_product(); };
  return p;
}

}  // namespace study
