// SPDX-License-Identifier: Apache-2.0
// What a program written for oneTBB may write with its algorithms, ranges, partitioners and pipelines. It compiles with
// oneTBB's own headers as well, so it states oneTBB's interface and not ours. Compiled only.
#include <tbb/tbb.h>

#include <functional>
#include <list>
#include <type_traits>
#include <vector>

namespace {

struct body {
  void operator()(tbb::blocked_range<int> const&) const {}
};
struct summing {
  summing() = default;
  summing(summing&, tbb::split) {}
  void operator()(tbb::blocked_range<int> const& r) { sum += r.size(); }
  void join(summing& right) { sum += right.sum; }
  template <typename Tag>
  void operator()(tbb::blocked_range<int> const& r, Tag) {
    sum += Tag::is_final_scan() ? r.size() : 0;
  }
  void reverse_join(summing& left) { sum += left.sum; }
  void assign(summing& other) { sum = other.sum; }
  std::size_t sum = 0;
};

void ranges() {
  tbb::blocked_range<int> r(0, 100, 3);
  static_assert(std::is_same_v<tbb::blocked_range<int>::const_iterator, int> &&
                std::is_same_v<tbb::blocked_range<int>::size_type, std::size_t>);
  tbb::blocked_range<int> half(r, tbb::split());
  tbb::proportional_split parts(1, 2);
  tbb::blocked_range<int> third(r, parts);
  (void)(r.begin() + r.end() + int(r.size()) + int(r.grainsize()) + r.empty() + r.is_divisible() + int(parts.left()) +
         int(parts.right()));
  tbb::split plain = static_cast<tbb::split>(parts);
  (void)plain;
  tbb::blocked_range2d<int, long> two(0, 10, 0L, 10L), two_grains(0, 10, 2, 0L, 10L, 2);
  (void)(two.rows().size() + two.cols().size() + two.is_divisible() + two.empty());
  tbb::blocked_range3d<int> three(0, 1, 0, 1, 0, 1), three_grains(0, 1, 1, 0, 1, 1, 0, 1, 1);
  (void)three.pages().size();
  tbb::blocked_nd_range<int, 2> nd({0, 10}, {0, 10, 2});
  (void)(tbb::blocked_nd_range<int, 2>::dim_count() + nd.dim(0).size());
  tbb::blocked_range deduced(0, 10);
  (void)deduced;
}

template <typename Partitioner>
void loops_with(Partitioner&& p) {
  tbb::task_group_context context;
  tbb::blocked_range<int> const r(0, 10);
  summing s;
  auto const add = [](tbb::blocked_range<int> const& part, int so_far) { return so_far + int(part.size()); };
  tbb::parallel_for(r, body(), p);
  tbb::parallel_for(r, body(), p, context);
  tbb::parallel_for(0, 10, [](int) {}, p);
  tbb::parallel_for(0, 10, 2, [](int) {}, p, context);
  tbb::parallel_reduce(r, s, p);
  tbb::parallel_reduce(r, s, p, context);
  (void)tbb::parallel_reduce(r, 0, add, std::plus<int>(), p);
  (void)tbb::parallel_reduce(r, 0, add, std::plus<int>(), p, context);
}
template <typename Partitioner>
void deterministic_with(Partitioner p) {
  tbb::task_group_context context;
  tbb::blocked_range<int> const r(0, 10);
  summing s;
  auto const add = [](tbb::blocked_range<int> const& part, int so_far) { return so_far + int(part.size()); };
  tbb::parallel_deterministic_reduce(r, s, p);
  tbb::parallel_deterministic_reduce(r, s, p, context);
  (void)tbb::parallel_deterministic_reduce(r, 0, add, std::plus<int>(), p);
  (void)tbb::parallel_deterministic_reduce(r, 0, add, std::plus<int>(), p, context);
}

void loops() {
  tbb::affinity_partitioner affinity;
  loops_with(tbb::simple_partitioner());
  loops_with(tbb::auto_partitioner());
  loops_with(tbb::static_partitioner());
  loops_with(affinity);
  deterministic_with(tbb::simple_partitioner());
  deterministic_with(tbb::static_partitioner());
  tbb::task_group_context context;
  tbb::blocked_range<int> const r(0, 10);
  summing s;
  tbb::parallel_for(r, body());
  tbb::parallel_for(r, body(), context);
  tbb::parallel_for(0, 10, [](int) {}, context);
  tbb::parallel_for(0, 10, 2, [](int) {});
  tbb::parallel_deterministic_reduce(r, s);
  tbb::parallel_scan(r, s);
  tbb::parallel_scan(r, s, tbb::simple_partitioner());
  tbb::parallel_scan(r, s, tbb::auto_partitioner());
  auto const scan = [](tbb::blocked_range<int> const& part, int so_far, auto tag) {
    return so_far + int(part.size()) + bool(tag);
  };
  (void)tbb::parallel_scan(r, 0, scan, std::plus<int>());
  (void)tbb::parallel_scan(r, 0, scan, std::plus<int>(), tbb::simple_partitioner());
#if __cplusplus < 202002L  // from C++20 on the constraint asks for a const range
  (void)tbb::parallel_reduce(
      r, 0, [](tbb::blocked_range<int>& part, int so_far) { return so_far + int(part.size()); }, std::plus<int>());
#endif
}

void items() {
  tbb::task_group_context context;
  std::vector<int> v{1, 2};
  std::list<int> const l{1, 2};
  tbb::parallel_for_each(v.begin(), v.end(), [](int&) {});
  tbb::parallel_for_each(v.begin(), v.end(), [](int) {}, context);
  tbb::parallel_for_each(v, [](int&, tbb::feeder<int>& feeder) { feeder.add(1); });
  tbb::parallel_for_each(l, [](int const&) {}, context);
  tbb::parallel_invoke([] {}, [] {});
  tbb::parallel_invoke([] {}, [] {}, [] {}, context);
  tbb::parallel_sort(v);
  tbb::parallel_sort(v, std::greater<int>());
  tbb::parallel_sort(v.begin(), v.end());
  tbb::parallel_sort(v.begin(), v.end(), std::greater<int>());
  tbb::collaborative_once_flag flag;
  tbb::collaborative_call_once(flag, [](int) {}, 1);
}

void pipelines() {
  tbb::task_group_context context;
  tbb::filter<void, int> first(tbb::filter_mode::serial_in_order, [](tbb::flow_control& control) {
    control.stop();
    return 1;
  });
  auto const second = tbb::make_filter<int, long>(tbb::filter_mode::parallel, [](int i) { return long(i); });
  tbb::filter<long, void> last(tbb::filter_mode::serial_out_of_order, [](long) {});
  tbb::filter<void, void> const chain = first & second & last;
  tbb::parallel_pipeline(2, chain);
  tbb::parallel_pipeline(2, chain, context);
  tbb::parallel_pipeline(2, first, second, last);
  tbb::parallel_pipeline(2, first & second, last, context);
  first.clear();
}

}  // namespace

void use_algorithms();
void use_algorithms() {
  ranges();
  loops();
  items();
  pipelines();
}
