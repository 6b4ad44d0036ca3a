// SPDX-License-Identifier: Apache-2.0
// Examples of the reference's pages on tasks, arenas and controls (docs/site/examples.py).
#include <tbb/collaborative_call_once.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_init.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/tbb_exception.h>
#include <tbb/tick_count.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

// Pages: tbb::task_group, tbb::task_group_status
bool group() {
  int left = 0, right = 0;
  tbb::task_group group;
  group.run([&] { left = 1; });
  group.run([&] { right = 2; });
  return group.wait() == tbb::task_group_status::complete && left + right == 3;
}

// Pages: tbb::isolated_task_group
bool own_tasks_while_waiting() {
  std::atomic<int> done{0};
  tbb::isolated_task_group group;  // run and wait are isolated: no foreign task comes between
  for (int i = 0; i < 10; ++i) group.run([&] { ++done; });
  group.wait();
  return done == 10;
}

// Pages: tbb::structured_task_group, tbb::structured_task, tbb::make_task
bool structured() {
  int value = 0;
  auto task = tbb::make_task([&] { value = 1; });  // outlives the wait
  tbb::structured_task_group group;
  group.run(task);
  group.wait();
  return value == 1;
}

// Pages: tbb::own_tasks_only, tbb::own_tasks_only_t
bool short_wait() {
  std::atomic<int> done{0};
  tbb::task_group group;
  for (int i = 0; i < 10; ++i) group.run([&] { ++done; });
  group.wait(tbb::own_tasks_only);  // runs no task of another group meanwhile
  return done == 10;
}

// Pages: tbb::task_handle, tbb::task_completion_handle
bool order() {
  std::vector<int> steps;
  tbb::task_group group;
  tbb::task_handle first = group.defer([&] { steps.push_back(1); });
  tbb::task_handle second = group.defer([&] { steps.push_back(2); });
  tbb::task_group::set_task_order(first, second);
  group.run(std::move(second));
  group.run(std::move(first));
  group.wait();
  return steps == std::vector<int>{1, 2};
}

// Pages: tbb::task_group_context
bool context() {
  tbb::task_group_context context;
  std::atomic<int> called{0};
  tbb::parallel_for(
      0, 1000000,
      [&](int) {
        if (++called == 100) context.cancel_group_execution();  // the loop begins no more iterations soon
      },
      tbb::auto_partitioner(), context);
  return called < 1000000 && context.is_group_execution_cancelled();
}

// Pages: tbb::is_current_task_group_canceling
bool long_body() {
  std::atomic<bool> begun{false};
  bool stopped = false;
  tbb::task_group group;
  std::thread impatient([&] {
    while (!begun) std::this_thread::yield();
    group.cancel();
  });
  tbb::task_group_status const status = group.run_and_wait([&] {
    begun = true;
    while (!tbb::is_current_task_group_canceling())
      std::this_thread::yield();  // a piece of the work, then the question
    stopped = true;
  });
  impatient.join();
  return stopped && status == tbb::task_group_status::canceled;
}

// Pages: tbb::cancel_callback
bool told_of_a_cancel() {
  tbb::task_group_context context;
  std::atomic<bool> told{false};
  tbb::cancel_callback callback(context, [&] { told = true; });  // once, by whoever cancels
  context.cancel_group_execution();
  return told;
}

// Pages: tbb::missing_wait
bool forgotten_wait() {
  try {
    tbb::task_group group;
    group.run([] {});
  } catch (tbb::missing_wait const&) {  // after the group has waited
    return true;
  }
  return false;
}

// Pages: tbb::unsafe_wait
bool wait_in_an_own_task() {
  bool refused = false;
  tbb::task_group group;
  group.run([&] {
    try {
      group.wait();  // would wait for this task
    } catch (tbb::unsafe_wait const&) {
      refused = true;
    }
  });
  group.wait();
  return refused;
}

// Pages: tbb::task_arena
bool arena() {
  tbb::task_arena few(2);  // at most two threads, this one included
  std::atomic<int> most{0};
  few.execute([&] {
    tbb::parallel_for(0, 1000, [&](int) {
      if (tbb::this_task_arena::current_thread_index() > most) most = tbb::this_task_arena::current_thread_index();
    });
  });
  return most < 2;
}

// Pages: tbb::this_task_arena::enqueue
bool later() {
  std::atomic<bool> done{false};
  tbb::this_task_arena::enqueue([&] { done = true; });  // nobody has to wait for it
  while (!done) std::this_thread::yield();
  return true;
}

// Pages: tbb::this_task_arena::isolate
bool isolated() {
  thread_local int depth = 0;
  std::atomic<bool> nested{false};
  tbb::parallel_for(0, 100, [&](int) {
    if (++depth > 1)
      nested = true;  // the wait of the inner loop would otherwise take another iteration of the outer one
    tbb::this_task_arena::isolate([] { tbb::parallel_for(0, 100, [](int) {}); });
    --depth;
  });
  return !nested;
}

// Pages: tbb::this_task_arena::current_thread_index, tbb::this_task_arena::max_concurrency
bool one_sum_for_each_thread() {
  std::vector<long> sums(std::size_t(tbb::this_task_arena::max_concurrency()));
  tbb::parallel_for(0, 1000, [&](int i) { sums[std::size_t(tbb::this_task_arena::current_thread_index())] += i; });
  long all = 0;
  for (long const sum : sums) all += sum;
  return all == 499500;
}

// Pages: tbb::this_task_arena::start_parallel_phase, tbb::this_task_arena::end_parallel_phase
bool phase() {
  std::atomic<int> called{0};
  tbb::this_task_arena::start_parallel_phase();  // workers stay awake between the loops
  for (int step = 0; step < 10; ++step) tbb::parallel_for(0, 100, [&](int) { ++called; });
  tbb::this_task_arena::end_parallel_phase();
  return called == 1000;
}

// Pages: tbb::attach
bool attached() {
  tbb::task_arena here{tbb::attach()};  // the arena in which this thread is
  return here.max_concurrency() == tbb::this_task_arena::max_concurrency();
}

// Pages: tbb::info::numa_nodes, tbb::info::core_types, tbb::numa_node_id, tbb::core_type_id,
// tbb::create_numa_task_arenas
bool nodes() {
  std::vector<tbb::numa_node_id> const nodes = tbb::info::numa_nodes();
  std::vector<tbb::core_type_id> const kinds = tbb::info::core_types();  // the fastest are the last
  tbb::task_arena near(tbb::task_arena::constraints{nodes[0]});
  tbb::task_arena fast(tbb::task_arena::constraints().set_core_type(kinds.back()));
  std::vector<tbb::task_arena> arenas = tbb::create_numa_task_arenas();  // one for each node
  return near.max_concurrency() >= 1 && fast.max_concurrency() >= 1 && arenas.size() == nodes.size();
}

// Pages: tbb::info::default_concurrency
bool processors() {
  int const threads = tbb::info::default_concurrency();  // by affinity mask, quota and ASHLAR_NUM_THREADS
  tbb::task_arena half(threads > 1 ? threads / 2 : 1);
  return half.max_concurrency() >= 1;
}

// Pages: tbb::global_control
bool limit() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);  // as long as the object lives
  return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) <= 2;
}

// Pages: tbb::task_scheduler_init
bool limit_as_in_classic_tbb() {
  tbb::task_scheduler_init init(2);
  return init.is_active();
}

// Pages: tbb::task_scheduler_handle, tbb::finalize
bool end_of_the_workers() {
  tbb::task_scheduler_handle handle{tbb::attach{}};
  tbb::parallel_for(0, 100, [](int) {});
  return tbb::finalize(handle, std::nothrow);  // returns when the workers have ended
}

// Pages: tbb::task_scheduler_observer
class greeting : public tbb::task_scheduler_observer {
 public:
  greeting() { observe(true); }
  ~greeting() { observe(false); }
  void on_scheduler_entry(bool is_worker) override { (is_worker ? workers : callers)++; }

  std::atomic<int> workers{0}, callers{0};
};

bool observed() {
  greeting watch;
  tbb::parallel_for(0, 100, [](int) {});
  return watch.callers >= 1;
}

// Pages: tbb::collaborative_call_once, tbb::collaborative_once_flag
bool once() {
  tbb::collaborative_once_flag flag;
  std::vector<int> table;
  auto const make = [&] {
    table.resize(1000);
    tbb::parallel_for(0, 1000, [&](int i) { table[std::size_t(i)] = i; });  // threads that come meanwhile help
  };
  tbb::parallel_for(0, 100, [&](int) { tbb::collaborative_call_once(flag, make); });
  return table[999] == 999;
}

// Pages: tbb::is_inside_task
bool inside_of_a_task() {
  std::atomic<bool> inside{true};
  tbb::parallel_for(0, 10, [&](int) {
    if (!tbb::is_inside_task()) inside = false;
  });
  return inside && !tbb::is_inside_task();
}

// Pages: tbb::tick_count
bool time_of_a_piece() {
  tbb::tick_count const start = tbb::tick_count::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return (tbb::tick_count::now() - start).seconds() >= 0.002;
}

}  // namespace

int main() {
  bool const right = group() && own_tasks_while_waiting() && structured() && short_wait() && order() && context() &&
                     long_body() && told_of_a_cancel() && forgotten_wait() && wait_in_an_own_task() && arena() &&
                     later() && isolated() && one_sum_for_each_thread() && phase() && attached() && nodes() &&
                     processors() && limit() && limit_as_in_classic_tbb() && observed() && once() &&
                     inside_of_a_task() && time_of_a_piece() && end_of_the_workers();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
