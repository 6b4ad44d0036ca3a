// SPDX-License-Identifier: Apache-2.0
// Prints what calls of the public interface do, a line each, where that does not depend on time or on the number of
// threads. run.py compiles it against ours and both peers and compares the lines.
#define TBB_PREVIEW_GLOBAL_CONTROL 1
#define TBB_PREVIEW_MEMORY_POOL 1
#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#include <tbb/global_control.h>
#include <tbb/scalable_allocator.h>
#include <tbb/tbb.h>

#include "../told.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

void ranges() {
  tbb::blocked_range<int> r(0, 10, 3), right(r, tbb::split());
  tell("blocked_range split left", r.size());
  tell("blocked_range split right", right.begin());
  tbb::blocked_range<int> whole(0, 100, 1);
  tbb::proportional_split parts(1, 3);
  tbb::blocked_range<int> rest(whole, parts);
  tell("proportional split left", whole.size());
  tell("proportional split right", rest.size());
  tell("divisible at the grain", tbb::blocked_range<int>(0, 3, 3).is_divisible());
  tell("divisible above the grain", tbb::blocked_range<int>(0, 4, 3).is_divisible());
  tbb::blocked_range2d<int> flat(0, 4, 0, 100), other(flat, tbb::split());
  tell("2d split rows", flat.rows().size());
  tell("2d split columns", flat.cols().size());
  tbb::blocked_range3d<int> cube(0, 9, 0, 3, 0, 3), cube_right(cube, tbb::split());
  tell("3d split pages", cube.pages().size());
  tell("3d split right rows", cube_right.rows().size());
  tbb::blocked_range2d<int> square(0, 8, 0, 8), square_right(square, tbb::split());
  tell("2d split of a square: rows", square.rows().size());
}

void loops() {
  std::atomic<int> count{0};
  auto const counting = [&](int) { ++count; };
  tbb::parallel_for(0, 10, 3, counting);
  tell("parallel_for 0 to 10 by 3", count.exchange(0));
  tbb::parallel_for(10, 0, counting);
  tell("parallel_for backwards", count.exchange(0));
  tell("parallel_for step 0", thrown([&] { tbb::parallel_for(0, 10, 0, counting); }));
  tell("parallel_for step -1", thrown([&] { tbb::parallel_for(0, 10, -1, counting); }));
  tell("parallel_for throws", thrown([] {
         tbb::parallel_for(0, 10, [](int i) {
           if (i == 5) throw 7;
         });
       }));
  tbb::simple_partitioner const simple;
  std::atomic<int> leaves{0}, largest{0};
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 64, 8),
      [&](tbb::blocked_range<int> const& r) {
        ++leaves;
        int seen = largest;
        while (int(r.size()) > seen && !largest.compare_exchange_weak(seen, int(r.size()))) {
        }
      },
      simple);
  tell("simple_partitioner leaves", leaves);
  tell("simple_partitioner largest leaf", largest);
  auto const add = [](tbb::blocked_range<int> const& r, long sum) { return sum + long(r.size()); };
  tell("parallel_reduce of nothing", tbb::parallel_reduce(tbb::blocked_range<int>(3, 3), 42L, add, std::plus<long>()));
  tell("parallel_reduce", tbb::parallel_reduce(tbb::blocked_range<int>(0, 1000), 0L, add, std::plus<long>()));
  auto const text = [](tbb::blocked_range<int> const& r, std::string s) {
    for (int i = r.begin(); i < r.end(); ++i) s += char('a' + i);
    return s;
  };
  tell("parallel_reduce keeps the order",
       tbb::parallel_reduce(tbb::blocked_range<int>(0, 20), std::string(), text,
                            [](std::string const& a, std::string const& b) { return a + b; }));
  std::vector<double> const x(1000, 0.1);
  double const sum = tbb::parallel_deterministic_reduce(
      tbb::blocked_range<int>(0, 1000, 7), 0.0,
      [&](tbb::blocked_range<int> const& r, double s) {
        for (int i = r.begin(); i < r.end(); ++i) s += x[std::size_t(i)] * i;
        return s;
      },
      std::plus<double>());
  char digits[40];
  std::snprintf(digits, sizeof(digits), "%a", sum);
  tell("parallel_deterministic_reduce to the bit", std::string(digits));
  tell("parallel_scan of nothing",
       tbb::parallel_scan(
           tbb::blocked_range<int>(0, 0), 5, [](tbb::blocked_range<int> const&, int s, bool) { return s; },
           std::plus<int>()));
  std::vector<int> few{3, 1, 2};
  tbb::parallel_sort(few.begin(), few.end(), std::greater<int>());
  tell("parallel_sort", few[0] * 100 + few[1] * 10 + few[2]);
  tell("parallel_invoke throws", thrown([] { tbb::parallel_invoke([] {}, [] { throw 3; }); }));
  std::vector<int> const items(100, 1);
  tbb::parallel_for_each(items.begin(), items.end(), counting);
  tell("parallel_for_each", count.exchange(0));
}

void groups() {
  tbb::task_group group;
  tell("wait of an empty group", group.wait());
  tell("run_and_wait", group.run_and_wait([] {}));
  group.cancel();
  tell("wait after cancel", group.wait());
  tell("wait after that", group.wait());
  tell("wait rethrows", thrown([&] {
         group.run([] { throw 4; });
         group.wait();
       }));
  tell("wait after an exception", group.wait());
  std::atomic<int> ran{0};
  group.cancel();
  group.run([&] { ++ran; });
  group.wait();
  tell("a task of a cancelled group runs", ran);
  tell("run_and_wait throws", thrown([&] { group.run_and_wait([] { throw 5; }); }));
  tbb::task_group_context context;
  tell("cancel twice: first", context.cancel_group_execution());
  tell("cancel twice: second", context.cancel_group_execution());
  tbb::parallel_for(0, 10, [&](int) { ++ran; }, context);
  tell("a loop in a cancelled context", ran);
  context.reset();
  tell("reset context is cancelled", context.is_group_execution_cancelled());
  tell("an exception cancels its context", thrown([&] { tbb::parallel_for(0, 10, [](int) { throw 6; }, context); }));
  tell("and it stays so", context.is_group_execution_cancelled());
}

void arenas() {
  tbb::task_arena arena(3, 1);
  tell("arena is active before use", arena.is_active());
  tell("arena max_concurrency", arena.max_concurrency());
  tell("inside", arena.execute([] { return tbb::this_task_arena::max_concurrency(); }));
  tell("arena is active after use", arena.is_active());
  tell("index inside a one-thread arena",
       tbb::task_arena(1).execute([] { return tbb::this_task_arena::current_thread_index(); }));
  tbb::task_arena copy(arena);
  tell("copy max_concurrency", copy.max_concurrency());
  tell("copy is active", copy.is_active());
  tell("execute throws", thrown([&] { arena.execute([] { throw 8; }); }));
  tell("isolate returns", tbb::this_task_arena::isolate([] { return 9; }));
  arena.terminate();
  tell("terminated arena is active", arena.is_active());
  arena.initialize(5);
  tell("initialised anew", arena.max_concurrency());
  {
    tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4),
        two(tbb::global_control::max_allowed_parallelism, 2);
    tell("the lower limit holds", tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  }
  // In new threads: an arena keeps the size that it had at its thread's first use.
  int slots = 0, under_a_limit = 0, automatic = 0;
  std::thread([&] { slots = tbb::this_task_arena::max_concurrency(); }).join();
  std::thread([&] {
    tbb::global_control const more(tbb::global_control::max_allowed_parallelism, 3000);
    tbb::parallel_for(0, 2, [](int) {});
    under_a_limit = tbb::this_task_arena::max_concurrency();
    tbb::task_arena other;
    other.initialize();
    automatic = other.max_concurrency();
  }).join();
  tell("a limit above the processors gives more slots", under_a_limit != slots || automatic != slots);
  tell("limit 0", thrown([] { tbb::global_control none(tbb::global_control::max_allowed_parallelism, 1); }));
}

void containers() {
  tbb::concurrent_vector<int> v(3, 1);
  tell("grow_by starts at", v.grow_by(std::size_t(2), 7) - v.begin());
  tell("push_back at", v.push_back(9) - v.begin());
  tell("grow_to_at_least less", long(v.size()));
  tell("at beyond the end", thrown([&] { v.at(100); }));
  tell("at within the capacity", thrown([&] { v.at(v.size()); }));
  tell("reserve too much", thrown([&] { v.reserve(v.max_size() + 1); }));
  v.clear();
  tell("cleared vector", long(v.size()));
  tbb::concurrent_queue<int> q;
  int value = 0;
  tell("try_pop of an empty queue", q.try_pop(value));
  q.push(1);
  tell("unsafe_size", long(q.unsafe_size()));
  tbb::concurrent_bounded_queue<int> b;
  b.set_capacity(2);
  b.push(1);
  tell("try_push below the capacity", b.try_push(2));
  tell("try_push at the capacity", b.try_push(3));
  tell("bounded size", b.size());
  tell("capacity", b.capacity());
  tbb::concurrent_priority_queue<int> p;
  for (int i : {2, 9, 4}) p.push(i);
  p.try_pop(value);
  tell("priority queue gives", value);
  tbb::concurrent_hash_map<int, int> m;
  tbb::concurrent_hash_map<int, int>::accessor writes;
  tell("hash_map insert", m.insert(writes, 1));
  tell("value of a new key", writes->second);
  writes.release();
  tell("hash_map insert again", m.insert({1, 5}));
  tell("erase", m.erase(1));
  tell("erase again", m.erase(1));
  tell("count", long(m.count(1)));
  tbb::concurrent_unordered_map<int, int> u;
  tell("unordered at", thrown([&] { u.at(3); }));
  u[3] = 4;
  tell("unordered insert of a present key", u.insert({3, 9}).first->second);
  tbb::concurrent_unordered_multimap<int, int> multi{{1, 1}, {1, 2}, {2, 3}};
  tell("multimap count", long(multi.count(1)));
  tbb::enumerable_thread_specific<int> e(5);
  tell("enumerable size before", long(e.size()));
  bool exists = true;
  e.local(exists) += 1;
  tell("enumerable existed", exists);
  tell("enumerable combine", e.combine([](int a, int c) { return a + c; }));
  tbb::combinable<int> none([] { return 11; });
  tell("combine of nothing", none.combine(std::plus<int>()));
}

void locks() {
  tbb::spin_mutex s;
  tbb::spin_mutex::scoped_lock lock(s);
  tell("try_lock of a held lock", s.try_lock());
  tbb::spin_rw_mutex rw;
  tbb::spin_rw_mutex::scoped_lock reader(rw, false), second;
  tell("a second reader", second.try_acquire(rw, false));
  second.release();
  tell("a writer beside a reader", second.try_acquire(rw, true));
  tell("upgrade of the only reader", reader.upgrade_to_writer());
  tell("downgrade", reader.downgrade_to_reader());
  tell("properties", tbb::queuing_mutex::is_fair_mutex * 8 + tbb::spin_mutex::is_fair_mutex * 4 +
                         tbb::queuing_rw_mutex::is_fair_mutex * 2 + tbb::null_mutex::is_recursive_mutex);
  tell("sizes", long(sizeof(tbb::spin_mutex) * 100 + sizeof(tbb::spin_rw_mutex)));
}

void memory() {
  tell("malloc of nothing is null", scalable_malloc(0) == nullptr);
  tell("aligned to a number that is no power of two", scalable_aligned_malloc(8, 3) == nullptr);
  void* p = nullptr;
  tell("posix_memalign to 3", scalable_posix_memalign(&p, 3, 8));
  tell("msize of null", long(scalable_msize(nullptr)));
  tell("an unknown command", scalable_allocation_command(1234, nullptr));
  tell("an unknown mode", scalable_allocation_mode(1234, 0));
  tell("calloc overflows", scalable_calloc(std::size_t(-1), 2) == nullptr);
  tell("too much from tbb_allocator",
       thrown([] { (void)tbb::scalable_allocator<char>().allocate(std::size_t(-1) / 2); }));
}

}  // namespace

int main() {
  ranges();
  loops();
  groups();
  arenas();
  containers();
  locks();
  memory();
}
