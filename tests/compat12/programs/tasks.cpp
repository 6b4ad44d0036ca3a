// SPDX-License-Identifier: Apache-2.0
// Algorithms, task groups, contexts and inner tasks.
#include "client.h"

#include <tbb/tbb.h>

#include <numeric>
#include <vector>

using namespace tbb;

template <typename... Partitioner>
static void loops(char const* name, Partitioner&... p) {
  for (int round = 0; round < 3; ++round) {
    std::vector<int> seen(10000);
    parallel_for(
        blocked_range<int>(0, 10000),
        [&](blocked_range<int> const& r) {
          for (int i : {0}) (void)i;
          for (int i = r.begin(); i != r.end(); ++i) ++seen[i];
        },
        p...);
    long const sum = parallel_reduce(
        blocked_range<long>(0, 10000), 0L,
        [](blocked_range<long> const& r, long v) {
          for (long i = r.begin(); i != r.end(); ++i) v += i;
          return v;
        },
        [](long a, long b) { return a + b; }, p...);
    line(name, std::accumulate(seen.begin(), seen.end(), 0L) + sum);
  }
}

static long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}
static long fib_group(int n) {
  if (n < 2) return n;
  long a = 0;
  task_group g;
  g.run([&] { a = fib_group(n - 1); });
  long const b = fib_group(n - 2);
  g.wait();
  return a + b;
}

static void algorithms() {
  auto_partitioner a;
  simple_partitioner s;
  static_partitioner st;
  affinity_partitioner af;
  loops("default");
  loops("auto", a);
  loops("simple", s);
  loops("static", st);
  loops("affinity", af);
  line("fib", fib(18));
  line("fib_group", fib_group(16));
  std::atomic<long> count{0};
  parallel_invoke([&] { ++count; }, [&] { ++count; }, [&] { ++count; }, [&] { ++count; }, [&] { ++count; });
  line("invoke 5", count);
  std::vector<int> v(50000);
  for (int i = 0; i < 50000; ++i) v[i] = (i * 7919) % 50021;
  parallel_sort(v.begin(), v.end());
  line("sorted", std::is_sorted(v.begin(), v.end()));
  std::vector<long> prefix(10000);
  long const total = parallel_scan(
      blocked_range<int>(0, 10000), 0L,
      [&](blocked_range<int> const& r, long sum, bool last) {
        for (int i = r.begin(); i != r.end(); ++i) {
          sum += i;
          if (last) prefix[i] = sum;
        }
        return sum;
      },
      [](long x, long y) { return x + y; });
  line("scan", total + prefix[5000]);
  std::atomic<long> fed{0};
  std::vector<int> const seeds{12, 13};
  parallel_for_each(seeds.begin(), seeds.end(), [&](int n, feeder<int>& more) {
    ++fed;
    if (n > 0) more.add(n - 1), more.add(n - 2);
  });
  line("fed", fed);
  double const d = parallel_deterministic_reduce(
      blocked_range<int>(0, 10000, 10), 0.0,
      [](blocked_range<int> const& r, double x) {
        for (int i = r.begin(); i != r.end(); ++i) x += 1.0 / (i + 1);
        return x;
      },
      [](double x, double y) { return x + y; });
  std::printf("deterministic: %a\n", d);
}

static void groups() {
  task_group g;
  std::atomic<long> ran{0};
  for (int i = 0; i < 20000; ++i) g.run([&] { ++ran; });
  line("group", static_cast<long>(g.wait()));
  line("ran", ran);
  line("run_and_wait", static_cast<long>(g.run_and_wait([&] { ++ran; })));
  // Tasks that add tasks to a group elsewhere: reference vertices.
  auto* const far = new task_group;
  std::atomic<long> leaves{0};
  struct adder {
    task_group& g;
    std::atomic<long>& leaves;
    int depth;
    void operator()() const {
      if (depth == 0) {
        ++leaves;
        return;
      }
      g.run(adder{g, leaves, depth - 1});
      g.run(adder{g, leaves, depth - 1});
    }
  };
  for (int i = 0; i < 20; ++i) {
    far->run(adder{*far, leaves, 9});
    far->wait();
  }
  delete far;
  line("leaves", leaves);
  task_group c;
  c.cancel();
  std::atomic<long> never{0};
  c.run([&] { ++never; });
  line("cancelled", static_cast<long>(c.wait()));
  line("never", never);
  line("again", static_cast<long>(c.run_and_wait([&] { ++never; })));
  line("never", never);
}

static void exceptions() {
  for (int round = 0; round < 50; ++round) {
    char const* const what = thrown([] {
      parallel_for(0, 1000, [](int i) {
        if (i == 500) throw std::runtime_error("five hundred");
      });
    });
    if (std::strcmp(what, "five hundred") != 0 || round == 49) line("loop threw", what);
  }
  task_group g;
  line("group threw", thrown([&] {
         g.run([] { throw 1; });
         g.wait();
       }));
  line("group after", static_cast<long>(g.run_and_wait([] {})));
  line("nested threw", thrown([] {
         parallel_for(0, 8, [](int) {
           parallel_for(0, 8, [](int i) {
             if (i == 7) throw std::logic_error("inner");
           });
         });
       }));
  line("step", thrown([] { parallel_for(0, 10, 0, [](int) {}); }) == std::string("nothing") ? "nothing" : "something");
  line("reduce threw", thrown([] {
         parallel_reduce(
             blocked_range<int>(0, 100, 1), 0,
             [](blocked_range<int> const&, int) -> int { throw std::runtime_error("r"); },
             [](int a, int) { return a; });
       }));
}

static void contexts() {
  task_group_context c;
  std::atomic<long> ran{0};
  parallel_for(
      0, 100000,
      [&](int) {
        ++ran;
        c.cancel_group_execution();
      },
      c);
  line("stopped early", ran < 100000);
  line("is cancelled", c.is_group_execution_cancelled());
  c.reset();
  line("after reset", c.is_group_execution_cancelled());
  task_group_context outer, inner, apart(task_group_context::isolated);
  bool inner_cancelled = false, apart_cancelled = true;
  parallel_for(
      0, 1,
      [&](int) {
        parallel_for(0, 1, [](int) {}, inner);
        parallel_for(0, 1, [](int) {}, apart);
        outer.cancel_group_execution();
        inner_cancelled = inner.is_group_execution_cancelled();
        apart_cancelled = apart.is_group_execution_cancelled();
      },
      outer);
  line("bound cancelled", inner_cancelled);
  line("isolated cancelled", apart_cancelled);
  task_group_context fp(task_group_context::bound, task_group_context::fp_settings);
  fp.capture_fp_settings();
  parallel_for(0, 100, [](int) {}, fp);
  line("context outside", task::current_context() == nullptr);
  bool same = false;
  task_group_context mine;
  parallel_for(0, 1, [&](int) { same = task::current_context() == &mine; }, mine);
  line("context inside", same);
#if TBB_INTERFACE_VERSION >= 12010
  task_group g;
  bool canceling = false;
  g.run_and_wait([&] {
    g.cancel();
    canceling = is_current_task_group_canceling();
  });
  line("canceling", canceling);
#endif
}

struct inner_task : detail::d1::task {
  detail::d1::wait_context& done;
  std::atomic<long>& ran;
  int more;
  inner_task(detail::d1::wait_context& w, std::atomic<long>& r, int n) : done(w), ran(r), more(n) {}
  detail::d1::task* execute(detail::d1::execution_data& ed) override {
    ran += detail::d1::execution_slot(ed) < 1024 ? 1 : 1000000;
#if TBB_INTERFACE_VERSION >= 12200
    ran += detail::d1::current_task_ptr() == this ? 0 : 1000000;
#endif
    if (more-- > 0) return this;
    done.release();
    return nullptr;
  }
  detail::d1::task* cancel(detail::d1::execution_data&) override {
    done.release();
    return nullptr;
  }
};

static void inner() {
  detail::d1::wait_context done(3);
  std::atomic<long> ran{0};
  task_group_context c;
  inner_task a(done, ran, 5), b(done, ran, 0), d(done, ran, 2);
  detail::d1::spawn(b, c);
  detail::d1::spawn(d, c, 0);
  detail::d1::execute_and_wait(a, c, done, c);
  line("inner", ran);
  detail::d1::wait(done, c);
  detail::d1::small_object_allocator alloc;
  struct big {
    char bytes[3000];
  };
  auto* const p = alloc.new_object<big>();
  std::thread([&] { alloc.delete_object(p); }).join();
}

int main() {
  algorithms();
  groups();
  exceptions();
  contexts();
  inner();
#if TBB_INTERFACE_VERSION >= 12040
  task_group g;
  std::atomic<long> deferred{0};
  task_handle h = g.defer([&] { ++deferred; });
  g.run(std::move(h));
  g.wait();
  line("deferred", deferred);
  collaborative_once_flag once;
  threads(4, [&](int) { collaborative_call_once(once, [&] { parallel_for(0, 100, [&](int) { ++deferred; }); }); });
  line("once", deferred);
#endif
}
