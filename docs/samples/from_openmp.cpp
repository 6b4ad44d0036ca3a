// SPDX-License-Identifier: Apache-2.0
// The pragmas of OpenMP, one by one.
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>
#include <tbb/spin_mutex.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <atomic>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

namespace {

int const n = 10000;
std::vector<double> a(n), b(n, 2.0);

void loops() {
  // #pragma omp parallel for
  tbb::parallel_for(0, n, [&](int i) { a[i] = b[i] * 2; });

  // #pragma omp parallel for schedule(static)
  tbb::parallel_for(0, n, [&](int i) { a[i] = b[i] * 2; }, tbb::static_partitioner());

  // #pragma omp parallel for schedule(dynamic, 64)
  tbb::parallel_for(
      tbb::blocked_range<int>(0, n, 64),
      [&](tbb::blocked_range<int> const& r) {
        for (int i = r.begin(); i != r.end(); ++i) a[i] = b[i] * 2;
      },
      tbb::simple_partitioner());

  // #pragma omp parallel for collapse(2)
  tbb::parallel_for(tbb::blocked_range2d<int>(0, 100, 0, 100), [&](tbb::blocked_range2d<int> const& r) {
    for (int i = r.rows().begin(); i != r.rows().end(); ++i)
      for (int j = r.cols().begin(); j != r.cols().end(); ++j) a[i * 100 + j] = b[j * 100 + i];
  });
}

double reduction() {
  // #pragma omp parallel for reduction(+ : sum)
  return tbb::parallel_reduce(
      tbb::blocked_range<int>(0, n), 0.0,
      [&](tbb::blocked_range<int> const& r, double sum) {
        return std::accumulate(&a[r.begin()], &a[0] + r.end(), sum);
      },
      std::plus<>());
}

long sections_and_tasks() {
  long first = 0, second = 0, third = 0;
  // #pragma omp parallel sections
  tbb::parallel_invoke([&] { first = 1; }, [&] { second = 2; });
  // #pragma omp task … #pragma omp taskwait
  tbb::task_group group;
  group.run([&] { third = 3; });
  group.wait();
  return first + second + third;
}

long shared_state() {
  long guarded = 0;
  std::atomic<long> counted{0};
  tbb::enumerable_thread_specific<long> own(0L);
  tbb::spin_mutex mutex;
  tbb::parallel_for(0, n, [&](int) {
    {  // #pragma omp critical
      tbb::spin_mutex::scoped_lock lock(mutex);
      ++guarded;
    }
    counted.fetch_add(1, std::memory_order_relaxed);  // #pragma omp atomic
    ++own.local();                                    // threadprivate
  });
  return guarded + counted + own.combine(std::plus<>());
}

bool limits() {
  // num_threads(2)
  tbb::task_arena two(2);
  int const inside = two.execute([] { return tbb::this_task_arena::max_concurrency(); });
  // omp_set_num_threads(3)
  tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
  return inside == 2 && tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 3;
}

}  // namespace

int main() {
  loops();
  double const sum = reduction();
  std::printf("sum %g\n", sum);
  return sum == 2.0 * n && sections_and_tasks() == 6 && shared_state() == 3 * n && limits() ? 0 : 1;
}
