// SPDX-License-Identifier: Apache-2.0
// parallel_for_each over a list, over a vector, and over a tree that grows by feeder.add. One unit is one item.
#include <tbb/parallel_for_each.h>

#include <bench/tbb_peer.h>

#include <bench/sampler.h>

#include <atomic>
#include <list>
#include <vector>

namespace {

constexpr int tree_depth = 16;

template <typename Container>
int measure_container(bench::options const& o, long size) {
  bench::report r(o, "ns/item");
  Container items(static_cast<std::size_t>(size), 0);
  int rounds = 0;
  auto work = [&] {
    tbb::parallel_for_each(items.begin(), items.end(), [](int& x) { ++x; });
    ++rounds;
  };
  r.ops(size);
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, static_cast<double>(size), 1e9);
  }
  bool right = true;
  for (int x : items) right = right && x == rounds;
  r.check(right, "every item once a round");
  return r.finish();
}

int measure_feeder(bench::options const& o) {
  bench::report r(o, "ns/item");
  std::vector<int> const roots(1, tree_depth);
  double const items = (1 << (tree_depth + 1)) - 1;
  auto work = [&] {
    tbb::parallel_for_each(roots.begin(), roots.end(), [](int depth, tbb::feeder<int>& feeder) {
      if (depth == 0) return;
      feeder.add(depth - 1);
      feeder.add(depth - 1);
    });
  };
  r.ops(static_cast<long>(items));
  if (o.count) {
    bench::counted_section(work);
  } else {
    bench::take_samples(r, work, items, 1e9);
  }
  std::atomic<long> leaves{0};
  tbb::parallel_for_each(roots.begin(), roots.end(), [&](int depth, tbb::feeder<int>& feeder) {
    if (depth == 0) {
      ++leaves;
    } else {
      feeder.add(depth - 1);
      feeder.add(depth - 1);
    }
  });
  r.check(leaves == 1 << tree_depth, "every item once");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  long const size = o.size > 0 ? o.size : 1000000;
  return bench::with_threads(o.threads, [&] {
    if (bench::is_row(o, "list")) return measure_container<std::list<int>>(o, size);
    if (bench::is_row(o, "vector")) return measure_container<std::vector<int>>(o, size);
    if (bench::is_row(o, "feeder")) return measure_feeder(o);
    bench::usage("unknown row", o.row);
  });
}
