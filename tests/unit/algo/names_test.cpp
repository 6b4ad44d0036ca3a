// SPDX-License-Identifier: Apache-2.0
// Every name, overload and deduction guide of oneTBB's task interfaces, algorithms and pipelines, as a program uses
// them.
#include <oneapi/tbb.h>

#include <doctest/doctest.h>

#include <functional>
#include <list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

// --- B.1 task
using suspend_function = void (*)(tbb::task::suspend_point);
static_assert(std::is_same_v<decltype(tbb::task::suspend(suspend_function())), void>);
static_assert(std::is_same_v<decltype(tbb::task::resume(tbb::task::suspend_point())), void>);
static_assert(std::is_same_v<decltype(tbb::task::current_context()), tbb::task_group_context*>);
// context
using tgc = tbb::task_group_context;
static_assert(std::is_same_v<decltype(std::declval<tgc&>().traits()), std::uintptr_t>);
static_assert(std::is_same_v<decltype(std::declval<tgc&>().cancel_group_execution()), bool>);
static_assert(std::is_same_v<decltype(std::declval<tgc&>().is_group_execution_cancelled()), bool>);
static_assert(std::is_void_v<decltype(std::declval<tgc&>().reset())>);
static_assert(std::is_void_v<decltype(std::declval<tgc&>().capture_fp_settings())>);
static_assert(!std::is_copy_constructible_v<tgc>);
void contexts() {
  tgc c1, c2(tgc::isolated), c3(tgc::bound, tgc::concurrent_wait),
      c4(tgc::bound, tgc::default_traits | tgc::fp_settings);
  (void)c1;
  (void)c2;
  (void)c3;
  (void)c4;
  tgc::kind_type k = tgc::bound;
  tgc::traits_type t = tgc::default_traits;
  tgc x(k, t);
  (void)x;
}
// group
void groups() {
  tbb::task_group g;
  tgc c1;
  tbb::task_group g2(c1);
  g.run([] {});
  auto f = [] {};
  g.run(f);
  tbb::task_handle h = g.defer([] {});
  static_assert(std::is_nothrow_move_constructible_v<tbb::task_handle> &&
                std::is_nothrow_move_assignable_v<tbb::task_handle> &&
                !std::is_copy_constructible_v<tbb::task_handle> && std::is_default_constructible_v<tbb::task_handle>);
  static_assert(noexcept(bool(h)));
  bool b = h == nullptr || nullptr == h || h != nullptr || nullptr != h || !h;
  (void)b;
  g.run(std::move(h));
  tbb::task_group_status s = g.run_and_wait([] {});
  s = g.run_and_wait(f);
  s = g.run_and_wait(g.defer([] {}));
  s = g.wait();
  g.cancel();
  (void)s;
  static_assert(tbb::not_complete != tbb::complete && tbb::complete != tbb::canceled &&
                tbb::task_complete != tbb::canceled);
}
void ordered_groups() {
  tbb::task_group g;
  tbb::task_group_status s;
  tbb::task_handle a = g.defer([] {}), d = g.defer([] {});
  tbb::task_group::set_task_order(a, d);
  tbb::task_completion_handle ca = a, cd;
  cd = d;
  cd = ca;
  ca = std::move(cd);
  tbb::task_completion_handle cc(ca);
  (void)cc;
  tbb::task_group::set_task_order(ca, d);
  static_assert(std::is_same_v<decltype(g.get_status_of(ca)), tbb::task_group_status>);
  bool e = ca == cc || ca != cc || ca == nullptr || nullptr == ca || ca != nullptr || nullptr != ca || bool(ca);
  (void)e;
  static_assert(std::is_void_v<decltype(tbb::task_group::transfer_this_task_completion_to(d))>);
  s = g.run_and_wait_for_task(std::move(a));
  s = g.wait_for_task(ca);
  g.run([&]() -> tbb::task_handle { return tbb::task_handle{}; });
  g.run(std::move(d));
  g.wait();
  (void)s;
}
void isolated_groups() {
  tbb::isolated_task_group ig;
  ig.run([] {});
  ig.run_and_wait([] {});
  ig.wait();
  ig.cancel();
  ig.run(ig.defer([] {}));
  ig.wait();
  bool c = tbb::is_current_task_group_canceling();
  c = tbb::is_inside_task();
  (void)c;
}
// arena
void arenas() {
  using A = tbb::task_arena;
  static_assert(A::automatic == -1 && A::not_initialized == -2 && A::selectable != -1);
  A a0, a1(2), a2(2, 1), a3(2, 1, A::priority::low), a4(2, 1, A::priority::high, A::leave_policy::fast),
      a5(A::constraints{}), a6(A::constraints(0, 1), 1, A::priority::normal, A::leave_policy::automatic),
      a7{tbb::attach()}, a8{A::attach()}, a9(a1);
  auto sel = [](auto) { return 1; };
  A a10(A::constraints(), sel);
  A a11(A::constraints(), sel, 1, A::priority::low, A::leave_policy::fast);
  a0.initialize();
  a1.initialize(2);
  a2.initialize(2, 1, A::priority::low, A::leave_policy::fast);
  a3.initialize(A::constraints{}, 1, A::priority::low, A::leave_policy::fast);
  a4.initialize(tbb::attach());
  a5.initialize(A::attach());
  a6.initialize(A::constraints(), sel);
}
void arenas_in_use() {
  using A = tbb::task_arena;
  A a0;
  a0.terminate();
  bool b = a0.is_active();
  int n = a0.max_concurrency();
  (void)b;
  (void)n;
  int r = a0.execute([] { return 1; });
  int& q = a0.execute([&]() -> int& { return r; });
  CHECK(&q == &r);
  a0.execute([] {});
  tbb::task_group g;
  a0.enqueue([] {});
  a0.enqueue(g.defer([] {}));
  a0.enqueue([] {}, g);
  a0.wait_for(g);
  tbb::task_handle h = g.defer([] {});
  tbb::task_completion_handle ch = h;
  g.run(std::move(h));
  a0.wait_for(ch);
  tbb::task_arena::constraints k;
  k.set_numa_id(0).set_max_concurrency(1).set_core_type(tbb::info::core_types()[0]).set_max_threads_per_core(1);
  n = k.numa_id + k.max_concurrency + k.max_threads_per_core;
  tbb::core_type_id ct = k.core_type;
  tbb::numa_node_id ni = k.numa_id;
  (void)ct;
  (void)ni;
  g.wait();
}
void phases_and_places() {
  using A = tbb::task_arena;
  A a0;
  tbb::task_group g;
  int n = 0;
  A::constraints k;
  auto sel = [](auto) { return 1; };
  {
    A::parallel_phase p(a0);
  }
  {
    A::parallel_phase p{tbb::attach()};
    p.end();
  }
  {
    A::parallel_phase p{a0, A::parallel_phase::end_flag_fast_leave{}};
    A::parallel_phase q(std::move(p));
    q.end();
  }
  {
    tbb::task_arena::parallel_phase p(a0, tbb::task_arena::parallel_phase::end_flag_fast_leave{});
  }
  a0.start_parallel_phase();
  a0.end_parallel_phase();
  a0.end_parallel_phase(A::parallel_phase::end_flag_fast_leave{});
  namespace t = tbb::this_task_arena;
  n = t::current_thread_index() + t::max_concurrency() + t::isolate([] { return 1; });
  t::enqueue([] {});
  t::enqueue(g.defer([] {}));
  t::enqueue([] {}, g);
  t::start_parallel_phase();
  t::end_parallel_phase();
  t::end_parallel_phase(A::parallel_phase::end_flag_fast_leave{});
  std::vector<A> v = tbb::create_numa_task_arenas();
  v = tbb::create_numa_task_arenas(A::constraints(), 1);
  std::vector<tbb::numa_node_id> nn = tbb::info::numa_nodes();
  std::vector<tbb::core_type_id> cts = tbb::info::core_types();
  n = tbb::info::default_concurrency() + tbb::info::default_concurrency(nn[0]) + tbb::info::default_concurrency(k) +
      tbb::info::default_concurrency(k, sel);
  CHECK(n > 0);
  g.wait();
}
void controls() {
  tbb::global_control c(tbb::global_control::max_allowed_parallelism, 2),
      d(tbb::global_control::thread_stack_size, 1 << 20), e(tbb::global_control::terminate_on_exception, 1);
  tbb::global_control l(tbb::global_control::leave_policy,
                        static_cast<std::size_t>(tbb::task_arena::leave_policy::fast));
  std::size_t n = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) +
                  tbb::global_control::active_value(tbb::global_control::leave_policy) +
                  tbb::global_control::active_value(tbb::global_control::scheduler_handle);
  (void)n;
  tbb::global_control::parameter p = tbb::global_control::parameter_max;
  (void)p;
}
void handles_and_observers() {
  tbb::task_scheduler_handle h{tbb::attach()}, i, j(std::move(h));
  i = std::move(j);
  bool b = bool(i);
  i.release();
  (void)b;
  tbb::task_scheduler_handle k{tbb::attach{}};
  b = tbb::finalize(k, std::nothrow);
  tbb::task_scheduler_handle m{tbb::attach{}};
  tbb::finalize(m);
  static_assert(!std::is_copy_constructible_v<tbb::task_scheduler_handle>);
  struct o : tbb::task_scheduler_observer {
    o() = default;
    explicit o(tbb::task_arena& a) : task_scheduler_observer(a) {}
    void on_scheduler_entry(bool) override {}
    void on_scheduler_exit(bool) override {}
  };
  o x;
  x.observe();
  x.observe(true);
  x.observe(false);
  b = x.is_observing();
}
// C
void algorithms() {
  tbb::task_group_context c;
  tbb::affinity_partitioner ap;
  tbb::static_partitioner sp;
  tbb::simple_partitioner mp;
  tbb::auto_partitioner au;
  tbb::blocked_range<int> r(0, 10);
  auto b = [](tbb::blocked_range<int> const&) {};
  tbb::parallel_for(r, b);
  tbb::parallel_for(r, b, c);
  tbb::parallel_for(r, b, ap);
  tbb::parallel_for(r, b, sp);
  tbb::parallel_for(r, b, mp);
  tbb::parallel_for(r, b, au);
  tbb::parallel_for(r, b, ap, c);
  tbb::parallel_for(r, b, sp, c);
  tbb::parallel_for(r, b, mp, c);
  tbb::parallel_for(r, b, au, c);
}
void index_loops() {
  tbb::task_group_context c;
  tbb::affinity_partitioner ap;
  tbb::static_partitioner sp;
  tbb::simple_partitioner mp;
  tbb::auto_partitioner au;
  auto f = [](int) {};
  tbb::parallel_for(0, 9, f);
  tbb::parallel_for(0, 9, f, c);
  tbb::parallel_for(0, 9, f, ap);
  tbb::parallel_for(0, 9, f, sp);
  tbb::parallel_for(0, 9, f, mp);
  tbb::parallel_for(0, 9, f, au);
  tbb::parallel_for(0, 9, f, ap, c);
  tbb::parallel_for(0, 9, f, sp, c);
  tbb::parallel_for(0, 9, f, mp, c);
  tbb::parallel_for(0, 9, f, au, c);
  tbb::parallel_for(0, 9, 2, f);
  tbb::parallel_for(0, 9, 2, f, c);
  tbb::parallel_for(0, 9, 2, f, ap);
  tbb::parallel_for(0, 9, 2, f, sp);
  tbb::parallel_for(0, 9, 2, f, mp);
  tbb::parallel_for(0, 9, 2, f, au);
  tbb::parallel_for(0, 9, 2, f, ap, c);
  tbb::parallel_for(0, 9, 2, f, sp, c);
  tbb::parallel_for(0, 9, 2, f, mp, c);
  tbb::parallel_for(0, 9, 2, f, au, c);
}
void reductions() {
  tbb::task_group_context c;
  tbb::affinity_partitioner ap;
  tbb::static_partitioner sp;
  tbb::simple_partitioner mp;
  tbb::auto_partitioner au;
  tbb::blocked_range<int> r(0, 10);
  struct body {
    int s = 0;
    body() = default;
    body(body&, tbb::split) {}
    void operator()(tbb::blocked_range<int> const&) {}
    void join(body&) {}
  } rb;
  tbb::parallel_reduce(r, rb);
  tbb::parallel_reduce(r, rb, c);
  tbb::parallel_reduce(r, rb, ap);
  tbb::parallel_reduce(r, rb, sp);
  tbb::parallel_reduce(r, rb, mp);
  tbb::parallel_reduce(r, rb, au);
  tbb::parallel_reduce(r, rb, ap, c);
  tbb::parallel_reduce(r, rb, sp, c);
  tbb::parallel_reduce(r, rb, mp, c);
  tbb::parallel_reduce(r, rb, au, c);
}
void functional_reductions() {
  tbb::task_group_context c;
  tbb::affinity_partitioner ap;
  tbb::static_partitioner sp;
  tbb::simple_partitioner mp;
  tbb::auto_partitioner au;
  tbb::blocked_range<int> r(0, 10);
  auto rf = [](tbb::blocked_range<int> const&, int x) { return x; };
  auto pl = [](int x, int y) { return x + y; };
  int v = tbb::parallel_reduce(r, 0, rf, pl);
  v = tbb::parallel_reduce(r, 0, rf, pl, c);
  v = tbb::parallel_reduce(r, 0, rf, pl, ap);
  v = tbb::parallel_reduce(r, 0, rf, pl, sp);
  v = tbb::parallel_reduce(r, 0, rf, pl, mp);
  v = tbb::parallel_reduce(r, 0, rf, pl, au);
  v = tbb::parallel_reduce(r, 0, rf, pl, ap, c);
  v = tbb::parallel_reduce(r, 0, rf, pl, sp, c);
  v = tbb::parallel_reduce(r, 0, rf, pl, mp, c);
  v = tbb::parallel_reduce(r, 0, rf, pl, au, c);
  auto rr = [](tbb::blocked_range<int> const&, std::vector<int>&& x) { return std::move(x); };
  auto pp = [](std::vector<int>&& x, std::vector<int>&&) { return std::move(x); };
  (void)tbb::parallel_reduce(r, std::vector<int>(), rr, pp);
  (void)v;
}
void deterministic_reductions() {
  tbb::task_group_context c;
  tbb::static_partitioner sp;
  tbb::simple_partitioner mp;
  tbb::blocked_range<int> r(0, 10);
  struct body {
    int s = 0;
    body() = default;
    body(body&, tbb::split) {}
    void operator()(tbb::blocked_range<int> const&) {}
    void join(body&) {}
  } rb;
  auto rf = [](tbb::blocked_range<int> const&, int x) { return x; };
  auto pl = [](int x, int y) { return x + y; };
  int v = 0;
  tbb::parallel_deterministic_reduce(r, rb);
  tbb::parallel_deterministic_reduce(r, rb, c);
  tbb::parallel_deterministic_reduce(r, rb, sp);
  tbb::parallel_deterministic_reduce(r, rb, mp);
  tbb::parallel_deterministic_reduce(r, rb, sp, c);
  tbb::parallel_deterministic_reduce(r, rb, mp, c);
  v = tbb::parallel_deterministic_reduce(r, 0, rf, pl);
  v = tbb::parallel_deterministic_reduce(r, 0, rf, pl, c);
  v = tbb::parallel_deterministic_reduce(r, 0, rf, pl, sp);
  v = tbb::parallel_deterministic_reduce(r, 0, rf, pl, mp);
  v = tbb::parallel_deterministic_reduce(r, 0, rf, pl, sp, c);
  v = tbb::parallel_deterministic_reduce(r, 0, rf, pl, mp, c);
  (void)v;
}
void scans() {
  tbb::blocked_range<int> r(0, 10);
  tbb::simple_partitioner mp;
  tbb::auto_partitioner au;
  auto pl = [](int x, int y) { return x + y; };
  int v = 0;
  struct sbody {
    sbody() = default;
    sbody(sbody&, tbb::split) {}
    void operator()(tbb::blocked_range<int> const&, tbb::pre_scan_tag) {}
    void operator()(tbb::blocked_range<int> const&, tbb::final_scan_tag) {}
    void reverse_join(sbody&) {}
    void assign(sbody&) {}
  } sb;
  tbb::parallel_scan(r, sb);
  tbb::parallel_scan(r, sb, mp);
  tbb::parallel_scan(r, sb, au);
  auto sf = [](tbb::blocked_range<int> const&, int x, bool) { return x; };
  v = tbb::parallel_scan(r, 0, sf, pl);
  v = tbb::parallel_scan(r, 0, sf, pl, mp);
  v = tbb::parallel_scan(r, 0, sf, pl, au);
  (void)v;
}
void sorts_and_walks() {
  tbb::task_group_context c;
  auto f = [](int) {};
  std::vector<int> w(10);
  int arr[3] = {};
  tbb::parallel_sort(w.begin(), w.end());
  tbb::parallel_sort(w.begin(), w.end(), std::greater<int>());
  tbb::parallel_sort(w);
  tbb::parallel_sort(w, std::less<int>());
  tbb::parallel_sort(arr);
  tbb::parallel_sort(arr, std::less<int>());
  tbb::parallel_for_each(w.begin(), w.end(), f);
  tbb::parallel_for_each(w.begin(), w.end(), f, c);
  tbb::parallel_for_each(w, f);
  tbb::parallel_for_each(w, f, c);
  tbb::parallel_for_each(w, [](int, tbb::feeder<int>& d) {
    if (false) d.add(1);
  });
  std::vector<int> const cw;
  tbb::parallel_for_each(cw, f);
  tbb::parallel_for_each(arr, f);
}
void calls() {
  tbb::task_group_context c;
  tbb::parallel_invoke([] {}, [] {});
  tbb::parallel_invoke([] {}, [] {}, c);
  tbb::parallel_invoke([] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, [] {}, c);
  tbb::collaborative_once_flag flag;
  tbb::collaborative_call_once(flag, [](int) {}, 1);
}
void ranges() {
  tbb::blocked_range<int> r(0, 10);
  tbb::blocked_nd_range nd({0, 10}, {0, 10, 2});
  static_assert(std::is_same_v<decltype(nd), tbb::blocked_nd_range<int, 2>>);
  int const dims[] = {3, 4};
  tbb::blocked_nd_range<int, 2> nd2(dims);
  tbb::blocked_nd_range nd3(dims, 2);
  (void)nd2.dim(0);
  static_assert(tbb::blocked_nd_range<int, 2>::dim_count() == 2);
  tbb::blocked_nd_range nd4(r, r);
  (void)nd3;
  (void)nd4;
  tbb::blocked_range2d<int> d2(0, 1, 0, 1), d22(0, 1, 1, 0, 1, 1);
  (void)d2.rows();
  (void)d22.cols();
  tbb::blocked_range3d<int, long, char> d3(0, 1, 0, 1, 0, 1), d33(0, 1, 1, 0, 1, 1, 0, 1, 1);
  (void)d3.pages();
  (void)d33;
  tbb::blocked_range rr2(0, 3);
  (void)rr2;
  CHECK_FALSE(tbb::pre_scan_tag::is_final_scan());
  CHECK(tbb::final_scan_tag::is_final_scan());
  CHECK(tbb::final_scan_tag());
}
void clocks() {
  tbb::tick_count t0 = tbb::tick_count::now(), t1 = tbb::tick_count::now();
  double sec = (t1 - t0).seconds() + tbb::tick_count::resolution();
  tbb::tick_count::interval_t iv(1.0), iv2;
  iv += iv2;
  iv -= iv2;
  iv = iv + iv2;
  iv = iv - iv2;
  (void)sec;
}
// D
void pipeline() {
  tbb::task_group_context c;
  auto in = tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [](tbb::flow_control& f) {
    f.stop();
    return 1;
  });
  tbb::filter<int, long> mid(tbb::filter_mode::parallel, [](int i) { return long(i); });
  auto out = tbb::make_filter<long, void>(tbb::filter_mode::serial_out_of_order, [](long) {});
  auto ded_in = tbb::make_filter(tbb::filter_mode::serial_in_order, [](tbb::flow_control& f) -> int {
    f.stop();
    return 1;
  });
  static_assert(std::is_same_v<decltype(ded_in), tbb::filter<void, int>>);
  auto ded = tbb::make_filter(tbb::filter_mode::parallel, [](int i) { return long(i); });
  static_assert(std::is_same_v<decltype(ded), tbb::filter<int, long>>);
  tbb::filter f2(tbb::filter_mode::parallel, [](int i) { return i; });
  static_assert(std::is_same_v<decltype(f2), tbb::filter<int, int>>);
  tbb::filter<void, void> all = in & mid & out;
  tbb::filter<void, void> none;
  none = all;
  tbb::parallel_pipeline(2, all);
  tbb::parallel_pipeline(2, all, c);
  tbb::parallel_pipeline(2, in, mid, out);
  tbb::parallel_pipeline(2, in, mid, out, c);
  tbb::parallel_pipeline(2, in & mid & out);
  all.clear();
}

}  // namespace

TEST_CASE("oneTBB's names of tasks, arenas, algorithms and pipelines") {
  contexts();
  groups();
  ordered_groups();
  isolated_groups();
  arenas();
  arenas_in_use();
  phases_and_places();
  controls();
  handles_and_observers();
  algorithms();
  index_loops();
  reductions();
  functional_reductions();
  deterministic_reductions();
  scans();
  sorts_and_walks();
  calls();
  ranges();
  clocks();
  pipeline();
}
