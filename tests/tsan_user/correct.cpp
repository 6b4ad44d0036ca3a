// SPDX-License-Identifier: Apache-2.0
// A correct program of more than twenty constructs, compiled with -fsanitize=thread against the library as it is
// installed (not instrumented): ThreadSanitizer must have nothing to say. Plain data is shared through the library
// only. usage: correct [rounds]
#include <tbb/coroutine.h>
#include <tbb/tbb.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

void check(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "correct.cpp: %s\n", what);
  std::exit(1);
}

constexpr int n = 2000;

void loops() {
  std::vector<int> a(n);
  tbb::parallel_for(0, n, [&](int i) { a[static_cast<std::size_t>(i)] = i; });
  auto const sum = [&](tbb::blocked_range<int> const& r, long x) {
    for (int i = r.begin(); i < r.end(); ++i) x += a[static_cast<std::size_t>(i)];
    return x;
  };
  long const expected = static_cast<long>(n) * (n - 1) / 2;
  check(tbb::parallel_reduce(tbb::blocked_range<int>(0, n, 10), 0L, sum, std::plus<>()) == expected, "reduce");
  check(tbb::parallel_deterministic_reduce(tbb::blocked_range<int>(0, n, 50), 0L, sum, std::plus<>()) == expected,
        "deterministic reduce");
  tbb::affinity_partitioner affinity;
  for (int round = 0; round < 3; ++round) {
    auto const add = [&](tbb::blocked_range<int> const& r) {
      for (int i = r.begin(); i < r.end(); ++i) ++a[static_cast<std::size_t>(i)];
    };
    tbb::parallel_for(tbb::blocked_range<int>(0, n, 20), add, affinity);
    tbb::parallel_for(tbb::blocked_range<int>(0, n, 20), add, tbb::static_partitioner());
    tbb::parallel_for(tbb::blocked_range<int>(0, n, 20), add, tbb::simple_partitioner());
  }
  check(a[5] == 5 + 9, "partitioners");
  tbb::parallel_sort(a.begin(), a.end(), std::greater<>());
  check(a[0] == n - 1 + 9, "sort");
  std::vector<int> o(n);
  tbb::parallel_scan(
      tbb::blocked_range<int>(0, n), 0,
      [&](tbb::blocked_range<int> const& r, int x, bool last) {
        for (int i = r.begin(); i < r.end(); ++i) {
          ++x;
          if (last) o[static_cast<std::size_t>(i)] = x;
        }
        return x;
      },
      std::plus<>());
  check(o[n - 1] == n, "scan");
  std::vector<int> w(50);
  tbb::parallel_for_each(w.begin(), w.end(), [](int& x) { x = 7; });
  std::vector<int> fed(10);
  tbb::parallel_for_each(fed.begin(), fed.begin() + 1, [&](int& x, tbb::feeder<int>&) { x = 7; });
  check(w[49] == 7 && fed[0] == 7, "for_each");
}

void groups() {
  tbb::task_group g;
  int x = 0, y = 0, z[10];
  g.run([&] { x = 1; });
  for (int i = 0; i < 10; ++i) g.run([&z, i] { z[i] = i; });
  y = 2;
  g.wait();
  check(x + y == 3 && z[9] == 9, "group");
  int p = 0, q = 0, w = 0;
  tbb::parallel_invoke([&] { p = 1; }, [&] { q = 2; }, [&] { w = 3; });
  check(p + q + w == 6, "invoke");
  int first = 0, second = 0;
  auto one = g.defer([&] { first = 1; });
  auto two = g.defer([&] { second = first + 1; });
  tbb::task_group::set_task_order(one, two);
  tbb::task_completion_handle ended(two);
  g.run(std::move(two));
  g.run(std::move(one));
  g.wait_for_task(ended);
  check(second == 2, "a task after another");
  g.wait();
}

struct leaf : tbb::task {
  explicit leaf(int& r) : result(r) {}
  tbb::task* execute() override {
    result = 3;
    return nullptr;
  }
  int& result;
};
struct parent : tbb::task {
  explicit parent(int& r) : result(r) {}
  tbb::task* execute() override {
    int a = 0, b = 0;
    set_ref_count(3);
    spawn(*new (allocate_child()) leaf(a));
    spawn_and_wait_for_all(*new (allocate_child()) leaf(b));
    result = a + b;
    return nullptr;
  }
  int& result;
};

void classic_tasks() {
  int result = 0;
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) parent(result));
  check(result == 6, "classic tasks");
}

void queues() {
  tbb::concurrent_queue<std::string*> q;
  tbb::concurrent_bounded_queue<std::string*> bounded;
  bounded.set_capacity(8);
  std::thread t([&] {
    for (int i = 0; i < 100; ++i) q.push(new std::string("hello"));
    for (int i = 0; i < 100; ++i) bounded.push(new std::string("hello"));
  });
  std::string* s = nullptr;
  for (int got = 0; got < 100;) {
    if (!q.try_pop(s)) continue;
    check(*s == "hello", "queue");
    delete s;
    ++got;
  }
  for (int i = 0; i < 100; ++i) {
    bounded.pop(s);
    delete s;
  }
  t.join();
  tbb::concurrent_priority_queue<int> first;
  tbb::parallel_for(0, 200, [&](int i) {
    first.push(i);
    int x;
    if (i % 3 == 0) static_cast<void>(first.try_pop(x));
  });
}

void maps() {
  tbb::concurrent_hash_map<int, std::string> hashed;
  tbb::concurrent_unordered_map<int, int*> unordered;
  tbb::concurrent_map<int, int*> ordered;
  tbb::concurrent_vector<int> growing;
  tbb::enumerable_thread_specific<std::vector<int>> own;
  tbb::combinable<int> counted([] { return 0; });
  tbb::parallel_for(0, 500, [&](int i) {
    {
      tbb::concurrent_hash_map<int, std::string>::accessor a;
      hashed.insert(a, i % 100);
      a->second += "x";
    }
    if (i % 17 == 0) hashed.erase(i % 100);
    int* const p = new int(i % 100);
    if (!unordered.insert({i % 100, p}).second) delete p;
    int* const r = new int(i % 100);
    if (!ordered.insert({i % 100, r}).second) delete r;
    check(*growing.push_back(i) == i, "vector");
    own.local().push_back(i);
    ++counted.local();
  });
  for (auto& e : unordered) delete e.second;
  for (auto& e : ordered) delete e.second;
  std::size_t all = 0;
  for (auto const& v : own) all += v.size();
  check(all == 500 && counted.combine(std::plus<>()) == 500, "thread-local storage");
}

template <typename Mutex>
void lock_often(Mutex& m, int& plain) {
  typename Mutex::scoped_lock const l(m);
  ++plain;
}
template <typename Mutex>
void lock_shared_often(Mutex& m, int& plain, int i) {
  typename Mutex::scoped_lock l(m, i % 5 == 0);
  if (i % 5 == 1) l.upgrade_to_writer();
  if (i % 5 <= 1) {
    ++plain;
    l.downgrade_to_reader();
  }
  check(plain >= 0, "locks");
}

void locks() {
  tbb::mutex m;
  tbb::spin_mutex spin;
  tbb::queuing_mutex queuing;
  tbb::rw_mutex rw;
  tbb::queuing_rw_mutex queuing_rw;
  tbb::spin_rw_mutex spin_rw;
  tbb::speculative_spin_mutex speculative;
  int c[7] = {};
  tbb::parallel_for(0, 300, [&](int i) {
    lock_often(m, c[0]);
    lock_often(spin, c[1]);
    lock_often(queuing, c[2]);
    lock_shared_often(rw, c[3], i);
    lock_shared_often(queuing_rw, c[4], i);
    lock_shared_often(spin_rw, c[5], i);
    lock_often(speculative, c[6]);
  });
  check(c[0] == 300 && c[1] == 300 && c[2] == 300 && c[3] == 120 && c[6] == 300, "locks");
}

void pipeline() {
  int i = 0;
  long sum = 0;
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, int*>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) -> int* {
           if (i < 100) return new int(i++);
           control.stop();
           return nullptr;
         }) & tbb::make_filter<int*, int*>(tbb::filter_mode::parallel, [](int* p) {
           *p *= 2;
           return p;
         }) & tbb::make_filter<int*, void>(tbb::filter_mode::serial_out_of_order, [&](int* p) {
           sum += *p;
           delete p;
         }));
  check(sum == 9900, "pipeline");
}

void arenas() {
  tbb::task_arena a(4);
  std::atomic<int> ran{0};
  int plain = 0;
  a.execute([&] {
    tbb::parallel_for(0, 100, [&](int i) {
      if (i == 50) plain = 5;
    });
  });
  for (int i = 0; i < 5; ++i) {
    a.enqueue([&] {
      check(plain == 5, "an arena's task");
      ran.fetch_add(1);
    });
  }
  while (ran < 5) std::this_thread::yield();
  tbb::collaborative_once_flag once;
  int value = 0;
  tbb::parallel_for(0, 20, [&](int) {
    tbb::collaborative_call_once(once, [&] { value = 5; });
    check(value == 5, "call_once");
  });
}

void suspension() {
  int result = 0;
  std::thread other;
  tbb::task_group g;
  g.run([&] {
    tbb::task::suspend([&](tbb::task::suspend_point p) {
      other = std::thread([&result, p] {
        result = 9;
        tbb::task::resume(p);
      });
    });
    check(result == 9, "resumed");
    result = 10;
  });
  g.wait();
  check(result == 10, "suspended");
  other.join();
}

#if defined(__cpp_impl_coroutine)
tbb::co_task<int> inner(int& x) {
  tbb::task_group g;
  g.run([&] { x = 4; });
  co_await g;
  co_return x + 1;
}
tbb::co_task<void> outer(int& x, int& result) { result = co_await inner(x); }
void coroutines() {
  int x = 0, result = 0;
  tbb::task_group g;
  tbb::co_run(g, outer(x, result));
  g.wait();
  check(result == 5, "coroutine");
}
#else
void coroutines() {}
#endif

}  // namespace

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  tbb::task_scheduler_init const four(4);
  for (int r = 0; r < rounds; ++r) {
    for (auto const f :
         {&loops, &groups, &classic_tasks, &queues, &maps, &locks, &pipeline, &arenas, &suspension, &coroutines}) {
      f();
    }
  }
}
