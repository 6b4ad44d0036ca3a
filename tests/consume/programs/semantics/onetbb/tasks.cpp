// SPDX-License-Identifier: Apache-2.0
// Prints what rarer overloads of oneTBB's tasks, algorithms and pipelines do, a line each, section by section. run.py
// compiles it against ours and oneTBB and compares the lines.
#define TBB_PREVIEW_ISOLATED_TASK_GROUP 1
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1
#include <tbb/tbb.h>

#include "../told.h"

#include <array>
#include <atomic>
#include <forward_list>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

// A: configuration, exceptions.
void configuration() {
  tbb::proportional_split parts(3, 5);
  tell("A left, right", long(parts.left() * 10 + parts.right()));
  tbb::split const plain = tbb::split(parts);
  (void)plain;
  tell("A split is no proportional_split", std::is_convertible_v<tbb::split, tbb::proportional_split>);
  tell("A unsafe_wait takes a text", std::string(tbb::unsafe_wait("so").what()));
  tell("A user_abort can be copied", std::is_copy_constructible_v<tbb::user_abort>);
  auto const before = tbb::ext::set_assertion_handler(nullptr);
  tell("A the handler that was set", tbb::ext::set_assertion_handler(before) == before);
}

// B: groups and handles.
void groups() {
  tbb::task_group_context isolated(tbb::task_group_context::isolated);
  tbb::task_group group(isolated);
  std::atomic<int> ran{0};
  auto handle = group.defer([&] { ran += 1; });
  tell("B a handle is set", bool(handle));
  tbb::task_handle moved(std::move(handle));
  tell("B and empty after a move", handle == nullptr);
  tell("B nullptr on the left", nullptr != moved);
  tell("B run_and_wait of a handle", group.run_and_wait(std::move(moved)));
  tell("B it ran", ran);
  {
    auto dropped = group.defer([&] { ran += 100; });
  }
  tell("B a dropped handle is not waited for", group.wait());
  tell("B nor run", ran);
  tell("B a const function object", group.run_and_wait([&ran] { ++ran; }));
  isolated.cancel_group_execution();
  group.run([&] { ran += 1000; });
  tell("B a cancelled outer context", group.wait());
  tell("B its context is reset", isolated.is_group_execution_cancelled());
  group.run([&] { throw 3; });
  tell("B an exception through an outer context", thrown([&] { group.wait(); }));
  tbb::isolated_task_group apart;
  apart.run([&] { ++ran; });
  tell("B isolated group", apart.run_and_wait([&] { ++ran; }));
  tell("B all that ran", ran);
  group.run_and_wait([] { tell("B inside a task", tbb::is_inside_task()); });
  tell("B outside", tbb::is_inside_task());
  tell("B canceling outside", tbb::is_current_task_group_canceling());
  bool resumed = false;
  tbb::task::suspend([&](tbb::task::suspend_point point) {
    resumed = true;
    tbb::task::resume(point);
  });
  tell("B suspend and resume at once", resumed);
  tbb::task_group_context const keeps(tbb::task_group_context::bound, tbb::task_group_context::fp_settings);
  tell("B trait of a context", keeps.traits() == tbb::task_group_context::fp_settings);
}

void arenas() {
  tbb::task_arena::constraints const some =
      tbb::task_arena::constraints().set_max_concurrency(2).set_max_threads_per_core(1);
  tell("B constraints",
       some.numa_id * 1000 + some.core_type * 100 + some.max_concurrency * 10 + some.max_threads_per_core);
  tell("B arena by constraints",
       tbb::task_arena(tbb::task_arena::constraints().set_max_concurrency(3)).max_concurrency());
  tbb::task_arena arena(1, 1, tbb::task_arena::priority::low);
  tbb::task_group group;
  std::atomic<int> ran{0};
  arena.enqueue(group.defer([&] { ++ran; }));
  arena.enqueue([&] { ++ran; }, group);
  tell("B arena waits for a group", arena.wait_for(group));
  tell("B both ran", ran);
  tell("B an arena returns what can only move", arena.execute([] { return only_moved(4); }).value);
  tell("B index outside", tbb::task_arena::not_initialized == tbb::this_task_arena::current_thread_index() ||
                              tbb::this_task_arena::current_thread_index() == 0);
  tell("B isolate returns what can only move", tbb::this_task_arena::isolate([] { return only_moved(6); }).value);
  tbb::task_arena unused(tbb::attach{});
  tell("B attached and active", unused.is_active());
  tell("B arenas for NUMA nodes", tbb::create_numa_task_arenas().size() == tbb::info::numa_nodes().size());
  tell("B a phase", arena.execute([] {
    tbb::this_task_arena::start_parallel_phase();
    tbb::this_task_arena::end_parallel_phase();
    return 1;
  }));
  tbb::task_scheduler_handle none;
  tell("B an empty scheduler handle", bool(none));
  tell("B finalize of an empty handle", tbb::finalize(none, std::nothrow));
  tell("B finalize in a task", thrown([] {
         tbb::task_scheduler_handle own{tbb::attach{}};
         tbb::parallel_for(0, 1, [&](int) { tbb::finalize(own); });
       }));
}

// C: ranges and algorithms.
struct counted_range {
  explicit counted_range(int n) : first(0), last(n) {}
  counted_range(counted_range& r, tbb::split) : first(r.first + (r.last - r.first) / 2), last(r.last) {
    r.last = first;
  }
  bool empty() const { return first == last; }
  bool is_divisible() const { return last - first > 4; }
  int first, last;
};

void ranges() {
  tbb::blocked_nd_range<int, 2> flat({0, 8, 2}, {0, 100, 10});
  tbb::blocked_nd_range<int, 2> half(flat, tbb::split());
  tell("C nd split", long(flat.dim(0).size() * 1000 + flat.dim(1).size()));
  tell("C nd right half begins", half.dim(1).begin());
  tell("C nd dimensions", tbb::blocked_nd_range<int, 3>::dim_count());
  int const sizes[] = {3, 4, 5};
  tbb::blocked_nd_range<int, 3> sized(sizes, 2);
  tell("C nd of sizes", long(sized.dim(2).size() * 10 + sized.dim(0).grainsize()));
  tbb::blocked_nd_range deduced(sizes);
  tell("C nd deduced", deduced.dim_count());
  tbb::blocked_range2d<int, char> mixed(0, 10, 3, 'a', 'f', 2);
  tbb::blocked_range2d<int, char> mixed_half(mixed, tbb::split());
  tell("C 2d of two types", long(mixed.rows().size() * 10 + mixed_half.cols().size()));
  std::vector<int> v(100, 1);
  tbb::blocked_range<std::vector<int>::iterator> over(v.begin(), v.end(), 30);
  tbb::blocked_range<std::vector<int>::iterator> right(over, tbb::split());
  tell("C range of iterators", right.begin() - v.begin());
  tell("C an empty range", tbb::blocked_range<int>(5, 5).empty());
}

void loops() {
  std::atomic<int> count{0};
  tbb::task_group_context context;
  tbb::affinity_partitioner affine;
  auto const add = [&](auto const& r) { count += int(r.last - r.first); };
  tbb::parallel_for(counted_range(50), add);
  tbb::parallel_for(counted_range(50), add, affine, context);
  tbb::parallel_for(counted_range(50), add, tbb::static_partitioner(), context);
  tell("C loops over a range of the user's", count.exchange(0));
  tbb::parallel_for(0L, 100L, 7L, [&](long i) { count += int(i); }, affine, context);
  tbb::parallel_for(short(0), short(10), [&](short i) { count += i; }, tbb::auto_partitioner(), context);
  tell("C loops over numbers", count.exchange(0));
  auto const concat = [](std::vector<int>&& a, std::vector<int>&& b) {
    a.insert(a.end(), b.begin(), b.end());
    return std::move(a);
  };
  auto const fill = [](tbb::blocked_range<int> const& r, std::vector<int>&& made) {
    for (int i = r.begin(); i < r.end(); ++i) made.push_back(i);
    return std::move(made);
  };
  auto const made = tbb::parallel_reduce(tbb::blocked_range<int>(0, 40), std::vector<int>(), fill, concat,
                                         tbb::simple_partitioner(), context);
  tell("C a reduction of rvalues", long(made.size()) * 100 + made[17]);
  auto const sum = tbb::parallel_deterministic_reduce(
      tbb::blocked_range<int>(0, 100), 0, [](tbb::blocked_range<int> const& r, int s) { return s + int(r.size()); },
      std::plus<>(), tbb::static_partitioner(), context);
  tell("C deterministic with static_partitioner", sum);
  std::vector<int> out(20);
  int const total = tbb::parallel_scan(
      tbb::blocked_range<int>(0, 20), 0,
      [&](tbb::blocked_range<int> const& r, int s, auto tag) {
        for (int i = r.begin(); i < r.end(); ++i) {
          s += i;
          if (tag.is_final_scan()) out[std::size_t(i)] = s;
        }
        return s;
      },
      std::plus<int>(), tbb::simple_partitioner());
  tell("C scan", total * 1000 + out[10]);
  std::array<int, 5> few{4, 2, 5, 1, 3};
  tbb::parallel_sort(few, std::greater<>());
  tell("C sort of a container", few[0] * 10 + few[4]);
  tbb::parallel_invoke([&] { ++count; }, [&] { ++count; }, [&] { ++count; }, context);
  tell("C invoke in a context", count.exchange(0));
  for (int const slots : {1, 2, 3, 5}) {
    for (std::size_t const limit : {1, 2, 4}) {
      tbb::global_control const control(tbb::global_control::max_allowed_parallelism, limit);
      std::atomic<int> parts{0};
      tbb::task_arena(slots).execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<int>(0, 1000), [&](tbb::blocked_range<int> const&) { ++parts; },
            tbb::static_partitioner());
      });
      tell("parts of a static loop", parts);
    }
  }
}

void items() {
  std::atomic<int> count{0};
  std::forward_list<int> const list{1, 2, 3};
  tbb::parallel_for_each(list, [&](int i) { count += i; });
  tbb::parallel_for_each(list.begin(), list.end(), [&](int i, tbb::feeder<int>& more) {
    count += i;
    if (i == 1) more.add(50);
  });
  tell("C for each with more", count.exchange(0));
  std::list<only_moved> movable;
  movable.emplace_back(3);
  movable.emplace_back(4);
  tbb::parallel_for_each(std::make_move_iterator(movable.begin()), std::make_move_iterator(movable.end()),
                         [&](only_moved&& one) { count += one.value; });
  tell("C for each of what can only move", count.exchange(0));
  tell("C for each throws", thrown([&] {
         tbb::parallel_for_each(list, [](int i) {
           if (i == 2) throw i;
         });
       }));
  tbb::collaborative_once_flag flag;
  tell("C once throws", thrown([&] { tbb::collaborative_call_once(flag, [](int i) { throw i; }, 7); }));
  tbb::collaborative_call_once(flag, [&](std::unique_ptr<int> p) { count += *p; }, std::make_unique<int>(8));
  tbb::collaborative_call_once(flag, [&](std::unique_ptr<int> p) { count += *p; }, std::make_unique<int>(9));
  tell("C once after an exception", count.exchange(0));
}

// D: pipelines.
void pipelines() {
  tbb::task_group_context context;
  int next = 0, sum = 0;
  auto const source =
      tbb::make_filter<void, std::unique_ptr<int>>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (next == 10) control.stop();
        return std::make_unique<int>(next++);
      });
  auto const sink = tbb::make_filter<only_moved, void>(tbb::filter_mode::serial_in_order,
                                                       [&](only_moved one) { sum = sum * 2 + one.value % 2; });
  auto const middle = tbb::make_filter<std::unique_ptr<int>, only_moved>(
      tbb::filter_mode::parallel, [](std::unique_ptr<int> p) { return only_moved(*p); });
  tbb::parallel_pipeline(3, source, middle, sink, context);
  tell("D tokens that can only move, in order", sum);
  tbb::filter<void, void> whole = source & middle & sink;
  next = 9;
  tbb::parallel_pipeline(1, whole);
  tell("D the same filters again", sum);
  whole.clear();
  auto const deduced = tbb::make_filter(tbb::filter_mode::parallel, [](int i) { return double(i); });
  static_assert(std::is_same_v<std::remove_const_t<decltype(deduced)>, tbb::filter<int, double>>);
  tell("D a stage throws", thrown([&] {
         next = 0;
         tbb::parallel_pipeline(
             2,
             source & tbb::make_filter<std::unique_ptr<int>, void>(tbb::filter_mode::serial_out_of_order,
                                                                   [](std::unique_ptr<int> p) {
                                                                     if (*p == 3) throw 33;
                                                                   }),
             context);
       }));
  tell("D its context is cancelled", context.is_group_execution_cancelled());
}

// In a child that begins with it: a worker runs one function after the other, and the process ends at the first.
int enqueued_function_that_throws() {
  std::atomic<bool> next{false};
  tbb::task_arena arena(2);  // one slot is for callers
  arena.enqueue([] { throw 1; });
  arena.enqueue([&] { next = true; });
  while (!next) std::this_thread::yield();
  return 0;
}

}  // namespace

int main() {
  tell("an enqueued function throws", in_child(enqueued_function_that_throws));
  configuration();
  groups();
  arenas();
  ranges();
  loops();
  items();
  pipelines();
}
