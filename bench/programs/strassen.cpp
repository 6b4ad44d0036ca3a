// SPDX-License-Identifier: Apache-2.0
// Matrix product after Strassen (1969), in Winograd's form, with classic tasks: a product spawns seven smaller ones and
// a continuation that adds them up, and is itself recycled as the first of the seven. Temporaries come from the
// scalable allocator.
#include "common/random.h"
#include "common/tbb_program.h"

#include <tbb/scalable_allocator.h>
#include <tbb/task.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace {

using storage = std::vector<float, tbb::scalable_allocator<float>>;

// A square part of a matrix.
struct view {
  float* data = nullptr;
  std::size_t stride = 0;

  view quarter(std::size_t row, std::size_t column, std::size_t half) const {
    return {data + row * half * stride + column * half, stride};
  }
  float* row(std::size_t i) const { return data + i * stride; }
};

// to = a + sign * b.
void combine(view to, view a, view b, float sign, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) to.row(i)[j] = a.row(i)[j] + sign * b.row(i)[j];
  }
}

__attribute__((noinline)) void multiply(view c, view a, view b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) c.row(i)[j] = 0;
    for (std::size_t k = 0; k < n; ++k) {
      float const x = a.row(i)[k];
      for (std::size_t j = 0; j < n; ++j) c.row(i)[j] += x * b.row(k)[j];
    }
  }
}

constexpr std::size_t leaf = 64;

// Adds up the seven products; owns what they are made of.
class sum_task : public tbb::task {
 public:
  sum_task(view c, std::size_t half) : c_(c), half_(half), space_(15 * half * half) {}

  view part(std::size_t k) { return {space_.data() + k * half_ * half_, half_}; }

  tbb::task* execute() override {
    std::size_t const n = half_;
    view const p1 = part(0), p2 = part(1), p3 = part(2), p4 = part(3), p5 = part(4), p6 = part(5), p7 = part(6);
    for (std::size_t i = 0; i < n; ++i) {
      float* const c11 = c_.row(i);
      float* const c12 = c11 + n;
      float* const c21 = c_.row(n + i);
      float* const c22 = c21 + n;
      for (std::size_t j = 0; j < n; ++j) {
        float const u2 = p1.row(i)[j] + p6.row(i)[j], u3 = u2 + p7.row(i)[j], u4 = u2 + p5.row(i)[j];
        c11[j] = p1.row(i)[j] + p2.row(i)[j];
        c12[j] = u4 + p3.row(i)[j];
        c21[j] = u3 - p4.row(i)[j];
        c22[j] = u3 + p5.row(i)[j];
      }
    }
    return nullptr;
  }

 private:
  view const c_;
  std::size_t const half_;
  storage space_;
};

class product_task : public tbb::task {
 public:
  product_task(view c, view a, view b, std::size_t n) : c_(c), a_(a), b_(b), n_(n) {}

  tbb::task* execute() override {
    if (n_ <= leaf) {
      multiply(c_, a_, b_, n_);
      return nullptr;
    }
    std::size_t const h = n_ / 2;
    sum_task& sum = *new (allocate_continuation()) sum_task(c_, h);
    view const a11 = a_.quarter(0, 0, h), a12 = a_.quarter(0, 1, h), a21 = a_.quarter(1, 0, h),
               a22 = a_.quarter(1, 1, h);
    view const b11 = b_.quarter(0, 0, h), b12 = b_.quarter(0, 1, h), b21 = b_.quarter(1, 0, h),
               b22 = b_.quarter(1, 1, h);
    view const s1 = sum.part(7), s2 = sum.part(8), s3 = sum.part(9), s4 = sum.part(10);
    view const t1 = sum.part(11), t2 = sum.part(12), t3 = sum.part(13), t4 = sum.part(14);
    combine(s1, a21, a22, 1, h);
    combine(s2, s1, a11, -1, h);
    combine(s3, a11, a21, -1, h);
    combine(s4, a12, s2, -1, h);
    combine(t1, b12, b11, -1, h);
    combine(t2, b22, t1, -1, h);
    combine(t3, b22, b12, -1, h);
    combine(t4, t2, b21, -1, h);
    sum.set_ref_count(7);
    view const left[] = {a12, s4, a22, s1, s2, s3}, right[] = {b21, b22, t4, t1, t2, t3};
    for (std::size_t k = 0; k < 6; ++k) {
      spawn(*new (sum.allocate_child()) product_task(sum.part(k + 1), left[k], right[k], h));
    }
    recycle_as_child_of(sum);
    c_ = sum.part(0);
    a_ = a11;
    b_ = b11;
    n_ = h;
    return this;
  }

 private:
  view c_, a_, b_;
  std::size_t n_;
};

class strassen {
 public:
  explicit strassen(double scale) {
    for (; scale < 0.75 && n_ > 2 * leaf; scale *= 7) n_ /= 2;
    programs::random_stream random(67);
    for (storage* const m : {&a_, &b_}) {
      for (std::size_t i = 0; i < n_ * n_; ++i) m->push_back(static_cast<float>(static_cast<int>(random.below(7)) - 3));
    }
    c_.resize(n_ * n_);
  }

  void work() {
    for (int repetition = 0; repetition < 2; ++repetition) {
      tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root())
                                         product_task({c_.data(), n_}, {a_.data(), n_}, {b_.data(), n_}, n_));
    }
  }

  // Freivalds' test. Entries are small whole numbers, so that nothing is rounded.
  char const* wrong() const {
    programs::random_stream random(68);
    for (int pass = 0; pass < 3; ++pass) {
      std::vector<double> x(n_), y(n_), z(n_), w(n_);
      for (double& v : x) v = static_cast<double>(random.below(100));
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
          y[i] += static_cast<double>(b_[i * n_ + j]) * x[j];
          w[i] += static_cast<double>(c_[i * n_ + j]) * x[j];
        }
      }
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = 0; j < n_; ++j) z[i] += static_cast<double>(a_[i * n_ + j]) * y[j];
      }
      if (z != w) return "product";
    }
    return nullptr;
  }

 private:
  std::size_t n_ = 1024;
  storage a_, b_, c_;
};

}  // namespace

int main(int argc, char** argv) { return programs::tbb_main<strassen>(argc, argv); }
