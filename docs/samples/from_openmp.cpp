// SPDX-License-Identifier: Apache-2.0
// The directives of OpenMP and what takes their place, one by one.
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/combinable.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/partitioner.h>
#include <tbb/spin_mutex.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <atomic>
#include <cstdio>
#include <functional>
#include <numeric>
#include <utility>
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

bool cancellation() {
  std::atomic<int> done{0};
  tbb::task_group_context context;
  tbb::parallel_for(
      0, n,
      [&](int i) {
        if (i == 10) context.cancel_group_execution();       // #pragma omp cancel for
        if (tbb::is_current_task_group_canceling()) return;  // #pragma omp cancellation point for
        ++done;
      },
      context);
  return context.is_group_execution_cancelled() && done < n;
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

long task_clauses() {
  // #pragma omp taskloop num_tasks(8)
  tbb::parallel_for(
      0, 8,
      [&](int part) {
        for (int i = n * part / 8; i < n * (part + 1) / 8; ++i) a[i] = b[i] * 2;
      },
      tbb::simple_partitioner());

  long x = 0, y = 0;
  tbb::task_group group;
  // #pragma omp task depend(out : x)
  tbb::task_handle writer = group.defer([&] { x = 20; });
  // #pragma omp task depend(in : x)
  tbb::task_handle reader = group.defer([&] { y = x + 1; });
  tbb::task_group::set_task_order(writer, reader);
  group.run(std::move(reader));
  group.run(std::move(writer));
  group.wait();

  // #pragma omp taskgroup task_reduction(+ : sum)
  tbb::combinable<long> sum([] { return 0L; });
  for (int k = 0; k < 8; ++k) {
    group.run([&sum, k] { sum.local() += k; });  // #pragma omp task in_reduction(+ : sum)
  }
  group.wait();
  return y + sum.combine(std::plus<>());
}

long priorities() {
  std::atomic<long> sum{0};
  tbb::task_group group;
  tbb::concurrent_priority_queue<int> waiting;
  for (int priority = 0; priority < 10; ++priority) {
    waiting.push(priority);  // #pragma omp task priority(priority)
    group.run([&] {
      int greatest = 0;
      if (waiting.try_pop(greatest)) sum += greatest;
    });
  }
  group.wait();
  return sum;
}

long locks() {
  long inputs = 0, outputs = 0;
  std::atomic<int> next{0};
  std::vector<char> taken(n, 0);
  tbb::spin_mutex input_lock, output_lock;
  tbb::parallel_for(0, n, [&](int) {
    {  // #pragma omp critical(input)
      tbb::spin_mutex::scoped_lock lock(input_lock);
      ++inputs;
    }
    // #pragma omp atomic capture
    int const ticket = next.fetch_add(1, std::memory_order_relaxed);
    taken[ticket] = 1;
    // if (omp_test_lock(&output_lock))
    if (output_lock.try_lock()) {
      ++outputs;
      output_lock.unlock();
    }
  });
  return outputs > n ? 0 : inputs + std::accumulate(taken.begin(), taken.end(), 0L);
}

bool copies() {
  // #pragma omp parallel for copyin(table)
  tbb::enumerable_thread_specific<std::vector<int>> table(std::vector<int>{1, 2, 3});
  // #pragma omp single copyprivate(factor)
  int const factor = 2;
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 100, [&](int i) { sum += factor * table.local()[i % 3]; });
  return sum == 2 * (34 * 1 + 33 * 2 + 33 * 3);
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
  // OMP_STACKSIZE=16M
  tbb::global_control stack(tbb::global_control::thread_stack_size, 16 << 20);
  return inside == 2 && tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 3;
}

bool functions() {
  int const processors = tbb::info::default_concurrency();       // omp_get_num_procs()
  bool const outside = tbb::task::current_context() == nullptr;  // !omp_in_parallel()
  std::atomic<bool> inside{true};
  tbb::parallel_for(0, 100, [&](int) {
    int const threads = tbb::this_task_arena::max_concurrency();      // omp_get_num_threads(): an upper bound
    int const thread = tbb::this_task_arena::current_thread_index();  // omp_get_thread_num(): below that bound
    if (tbb::task::current_context() == nullptr || thread < 0 || thread >= threads) inside = false;
  });
  return processors > 0 && outside && inside;
}

}  // namespace

int main() {
  loops();
  double const sum = reduction();
  std::printf("sum %g\n", sum);
  bool const tasks = sections_and_tasks() == 6 && task_clauses() == 21 + 28 && priorities() == 45 && cancellation();
  bool const state = shared_state() == 3 * n && locks() == 2 * n && copies();
  return sum == 2.0 * n && tasks && state && limits() && functions() ? 0 : 1;
}
