// SPDX-License-Identifier: Apache-2.0
// Sums the values of a balanced binary tree by recursion with classic tasks; nearly no work per task. After treeadd of
// Olden (Rogers, Carlisle, Reppy, Hendren 1995).
#include "common/library.h"

#if KERNEL_CLASSIC_TASKS

#include "common/random.h"
#include "common/study.h"

#include <tbb/task.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

namespace study {
namespace {

struct parameters {
  int levels, leaf_levels;  // subtrees of leaf_levels are summed serially
};
constexpr parameters sizes[] = {{12, 3}, {16, 3}, {18, 3}, {20, 3}, {23, 3}};

struct node {
  std::uint64_t value;
  node const* left;
  node const* right;
};

std::uint64_t sum_of(node const* n) { return n == nullptr ? 0 : n->value + sum_of(n->left) + sum_of(n->right); }

class sum_task : public tbb::task {
 public:
  sum_task(node const& n, int levels, int leaf_levels, std::uint64_t& sum)
      : node_(n), levels_(levels), leaf_levels_(leaf_levels), sum_(sum) {}

  tbb::task* execute() override {
    if (levels_ <= leaf_levels_) {
      sum_ = sum_of(&node_);
      return nullptr;
    }
    std::uint64_t left = 0, right = 0;
    sum_task& a = *new (allocate_child()) sum_task(*node_.left, levels_ - 1, leaf_levels_, left);
    sum_task& b = *new (allocate_child()) sum_task(*node_.right, levels_ - 1, leaf_levels_, right);
    set_ref_count(3);
    spawn(b);
    spawn_and_wait_for_all(a);
    sum_ = node_.value + left + right;
    return nullptr;
  }

 private:
  node const& node_;
  int const levels_, leaf_levels_;
  std::uint64_t& sum_;
};

struct tree {
  explicit tree(int levels) : nodes((std::size_t{1} << levels) - 1) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {  // the children of i are 2i+1 and 2i+2
      bool const inner = 2 * i + 2 < nodes.size();
      nodes[i] = {random_bits(8, i), inner ? &nodes[2 * i + 1] : nullptr, inner ? &nodes[2 * i + 2] : nullptr};
    }
  }
  std::vector<node> nodes;
  std::uint64_t sum = 0, expected = 0;
};

}  // namespace

problem treeadd(size_class s) {
  parameters const size = of(sizes, s);
  auto const t = std::make_shared<tree>(size.levels);
  problem p;
  p.serial = [t] { t->expected = t->sum = sum_of(&t->nodes[0]); };
  p.tasks = [t, size] {
    t->sum = 0;
    tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root())
                                       sum_task(t->nodes[0], size.levels, size.leaf_levels, t->sum));
  };
  p.right = [t] { return t->sum == t->expected; };
  p.plausible = [t] {
    return t->expected == std::accumulate(t->nodes.begin(), t->nodes.end(), std::uint64_t{0},
                                          [](std::uint64_t sum, node const& n) { return sum + n.value; });
  };
  return p;
}

}  // namespace study

#endif
