// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication by recursion with classic tasks: each task spawns the four quadrants of the result with the
// first half of the sums, waits, and spawns them again with the second half.
#include "common/library.h"

#if KERNEL_CLASSIC_TASKS

#include "common/study.h"
#include "programs/matrices.h"

#include <tbb/task.h>

#include <memory>

namespace study {
namespace {

struct parameters {
  std::size_t n, leaf;  // powers of two
};
constexpr parameters sizes[] = {{64, 16}, {256, 16}, {512, 32}, {1024, 32}, {2048, 32}};

class multiply_task : public tbb::task {
 public:
  struct corner {
    std::size_t row, column, inner;
  };
  multiply_task(matrices& m, corner at, std::size_t n, std::size_t leaf) : m_(m), at_(at), n_(n), leaf_(leaf) {}

  tbb::task* execute() override {
    if (n_ <= leaf_) {
      m_.multiply(at_.row, at_.row + n_, at_.column, at_.column + n_, at_.inner, at_.inner + n_);
      return nullptr;
    }
    std::size_t const half = n_ / 2;
    for (std::size_t inner : {at_.inner, at_.inner + half}) {
      set_ref_count(5);
      for (std::size_t row : {at_.row, at_.row + half}) {
        for (std::size_t column : {at_.column, at_.column + half}) {
          tbb::task& child = *new (allocate_child()) multiply_task(m_, {row, column, inner}, half, leaf_);
          spawn(child);
        }
      }
      wait_for_all();
    }
    return nullptr;
  }

 private:
  matrices& m_;
  corner const at_;
  std::size_t const n_, leaf_;
};

}  // namespace

problem matmult_recursive(size_class s) {
  parameters const size = of(sizes, s);
  auto const m = std::make_shared<matrices>(size.n);
  problem p;
  p.serial = [m] {
    m->clear();
    m->multiply(0, m->n, 0, m->n, 0, m->n);
    m->expected = m->c;
  };
  p.tasks = [m, size] {
    m->clear();
    multiply_task::corner const whole{0, 0, 0};
    tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) multiply_task(*m, whole, size.n, size.leaf));
  };
  p.right = [m] { return m->c == m->expected; };
  p.plausible = [m] { return m->is_product(); };
  return p;
}

}  // namespace study

#endif
