// SPDX-License-Identifier: Apache-2.0
// Every name and overload of classic TBB's tasks, arenas, algorithms and pipelines, as a program uses them.
#define ASHLAR_CLASSIC_DIALECT 1
#include <tbb/blocked_rangeNd.h>
#include <tbb/global_control.h>
#include <tbb/iterators.h>
#include <tbb/parallel_do.h>
#include <tbb/parallel_while.h>
#include <tbb/pipeline.h>
#include <tbb/task_scheduler_init.h>
#include <tbb/tbb.h>

#include <doctest/doctest.h>

#include <functional>
#include <new>
#include <vector>

namespace {

using tbb::task;
struct t1 : task {
  task* execute() override { return nullptr; }
  void note_affinity(affinity_id) override {}
};
void tasks() {
  t1& r = *new (task::allocate_root()) t1;
  tbb::task_group_context ctx;
  t1& r2 = *new (task::allocate_root(ctx)) t1;
  task::destroy(r2);
  r.set_ref_count(2);
  r.increment_ref_count();
  r.add_ref_count(1);
  r.decrement_ref_count();
  r.decrement_ref_count();
  int n = r.ref_count();
  (void)n;
  t1& k = *new (r.allocate_child()) t1;
  r.spawn(k);
  r.wait_for_all();
  r.set_ref_count(1);
  t1& a = *new (task::allocate_additional_child_of(r)) t1;
  t1& a2 = *new (r.allocate_additional_child_of(r)) t1;
  tbb::task_list l;
  bool e = l.empty();
  (void)e;
  l.push_back(a);
  l.push_front(a2);
  task& x = l.pop_front();
  l.push_back(x);
  r.spawn_and_wait_for_all(l);
  l.clear();
  r.set_ref_count(2);
  t1& k2 = *new (r.allocate_child()) t1;
  r.spawn_and_wait_for_all(k2);
  task::destroy(r);
}
void properties() {
  tbb::task_group_context ctx;
  t1& r = *new (task::allocate_root()) t1;
  task* p = r.parent();
  r.set_parent(p);
  tbb::task_group_context* c = r.context();
  c = r.group();
  (void)c;
  r.change_group(ctx);
  bool b = r.is_stolen_task();
  b = r.is_enqueued_task();
  b = r.is_cancelled();
  (void)b;
  r.cancel_group_execution();
  ctx.reset();
  task::state_type st = r.state();
  st = task::executing;
  st = task::reexecute;
  st = task::ready;
  st = task::allocated;
  st = task::freed;
  st = task::recycle;
  (void)st;
  r.set_group_priority(tbb::priority_low);
  tbb::priority_t pr = r.group_priority();
  pr = tbb::priority_normal;
  pr = tbb::priority_high;
  (void)pr;
  task::affinity_id id = r.affinity();
  r.set_affinity(id);
  task::self();
  task::destroy(r);
}
void roots() {
  t1& e1 = *new (task::allocate_root()) t1;
  task::spawn_root_and_wait(e1);
  tbb::task_list l2;
  l2.push_back(*new (task::allocate_root()) t1);
  task::spawn_root_and_wait(l2);
  task::enqueue(*new (task::allocate_root()) t1);
  task::enqueue(*new (task::allocate_root()) t1, tbb::priority_high);
  tbb::task_arena ar;
  task::enqueue(*new (task::allocate_root()) t1, ar);
  task::enqueue(*new (task::allocate_root()) t1, ar, tbb::priority_low);
  ar.debug_wait_until_empty();
  tbb::empty_task& et = *new (task::allocate_root()) tbb::empty_task;
  task::destroy(et);
  struct rec : task {
    task* execute() override {
      if (false) {
        recycle_as_continuation();
        recycle_as_safe_continuation();
        recycle_as_child_of(*this);
        recycle_to_reexecute();
      }
      task& q = *new (allocate_continuation()) tbb::empty_task;
      (void)q;
      return &q;
    }
  };
  task::spawn_root_and_wait(*new (task::allocate_root()) rec);
}
void scheduler() {
  bool b = false;
  int n = 0;
  tbb::priority_t pr = tbb::priority_normal;
  tbb::task_group_context ctx;
  tbb::task_scheduler_init i1, i2(2), i3(tbb::task_scheduler_init::deferred), i4(2, 1 << 20);
  i3.initialize(2);
  i3.terminate();
  i3.initialize(2, 1 << 20);
  b = i3.is_active();
  n = tbb::task_scheduler_init::default_num_threads();
  n = tbb::task_scheduler_init::automatic;
  b = i3.blocking_terminate(std::nothrow);
  ctx.set_priority(tbb::priority_low);
  pr = ctx.priority();
  ctx.register_pending_exception();
  ctx.reset();
  tbb::task_group_context cx(tbb::task_group_context::bound, tbb::task_group_context::exact_exception);
  b = tbb::is_current_task_group_canceling();
  (void)b;
  (void)n;
  (void)pr;
}
void groups() {
  tbb::task_group g;
  auto f = [] {};
  g.run(f);
  tbb::task_handle<decltype(f)> h(f);
  g.run(h);
  g.wait();
  auto h2 = tbb::make_task(f);
  g.run_and_wait(h2);
  g.run_and_wait(f);
  g.cancel();
  bool b = g.is_canceling();
  (void)b;
  g.wait();
  tbb::structured_task_group s;
  s.run(h);
  s.wait();
  s.run_and_wait(h2);
  s.cancel();
  s.is_canceling();
  s.wait();
  tbb::task_group_status st = tbb::complete;
  st = tbb::canceled;
  st = tbb::not_complete;
  (void)st;
}
void arenas() {
  tbb::task_arena a(2), a1(2, 1), a2{tbb::task_arena::attach()}, a3(a);
  a.initialize();
  a1.initialize(2, 1);
  a2.initialize(tbb::task_arena::attach());
  a.execute([] {});
  int n = a.execute([] { return 1; });
  a.enqueue([] {});
  a.enqueue([] {}, tbb::priority_high);
  a.debug_wait_until_empty();
  a.is_active();
  a.terminate();
  n = a.max_concurrency() + tbb::task_arena::automatic + tbb::task_arena::not_initialized;
  n = tbb::this_task_arena::current_thread_index() + tbb::this_task_arena::max_concurrency();
  tbb::this_task_arena::isolate([] {});
  n = tbb::task_arena::current_thread_index();
  (void)n;
  tbb::global_control c(tbb::global_control::max_allowed_parallelism, 2),
      d(tbb::global_control::thread_stack_size, 1 << 20);
  tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  struct o : tbb::task_scheduler_observer {
    o() : tbb::task_scheduler_observer(true) {}
    explicit o(tbb::task_arena& q) : task_scheduler_observer(q) {}
    void on_scheduler_entry(bool) override {}
    void on_scheduler_exit(bool) override {}
  } ob, ob2(a1);
  ob.observe();
  ob.observe(false);
  ob.is_observing();
  ob2.observe(true);
  ob2.observe(false);
  tbb::isolated_task_group ig;
  ig.run([] {});
  ig.wait();
}
void algorithms() {
  tbb::task_group_context c;
  tbb::affinity_partitioner ap;
  tbb::static_partitioner sp;
  tbb::simple_partitioner mp;
  tbb::auto_partitioner au;
  tbb::blocked_range<int> r(0, 10);
  auto b = [](tbb::blocked_range<int> const&) {};
  auto f = [](int) {};
  tbb::parallel_for(r, b, ap, c);
  tbb::parallel_for(r, b, c);
  tbb::parallel_for(0, 9, 2, f, sp, c);
  tbb::parallel_for(0, 9, f, mp);
  tbb::parallel_for(0, 9, f, au);
  tbb::parallel_for(r, b, tbb::simple_partitioner());
  tbb::parallel_for(r, b, tbb::auto_partitioner());
}
void reductions() {
  tbb::task_group_context c;
  tbb::affinity_partitioner ap;
  tbb::static_partitioner sp;
  tbb::simple_partitioner mp;
  tbb::auto_partitioner au;
  tbb::blocked_range<int> r(0, 10);
  struct body {
    body() = default;
    body(body&, tbb::split) {}
    void operator()(tbb::blocked_range<int> const&) {}
    void join(body&) {}
  } rb;
  tbb::parallel_reduce(r, rb);
  tbb::parallel_reduce(r, rb, ap, c);
  tbb::parallel_reduce(r, rb, c);
  tbb::parallel_deterministic_reduce(r, rb);
  tbb::parallel_deterministic_reduce(r, rb, mp, c);
  auto rf = [](tbb::blocked_range<int> const&, int x) { return x; };
  auto pl = [](int x, int y) { return x + y; };
  int v = tbb::parallel_reduce(r, 0, rf, pl, sp, c);
  v = tbb::parallel_deterministic_reduce(r, 0, rf, pl, sp);
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
  v = tbb::parallel_scan(r, 0, [](tbb::blocked_range<int> const&, int x, bool) { return x; }, pl, mp);
  (void)v;
}
void walks() {
  tbb::task_group_context c;
  auto f = [](int) {};
  std::vector<int> w(10);
  tbb::parallel_sort(w.begin(), w.end());
  tbb::parallel_sort(w.begin(), w.end(), std::less<int>());
  tbb::parallel_sort(w);
  tbb::parallel_sort(w, std::greater<int>());
  tbb::parallel_for_each(w.begin(), w.end(), f);
  tbb::parallel_for_each(w, f);
  tbb::parallel_for_each(w, f, c);
  tbb::parallel_for_each(w.begin(), w.end(), f, c);
  tbb::parallel_do(w.begin(), w.end(), f);
  tbb::parallel_do(w, f);
  tbb::parallel_do(
      w.begin(), w.end(),
      [](int, tbb::parallel_do_feeder<int>& d) {
        if (false) d.add(1);
      },
      c);
  tbb::parallel_do(w, f, c);
  struct wbody {
    typedef int argument_type;
    void operator()(int) const {}
  } wb;
  struct stream {
    int left = 3;
    bool pop_if_present(int& i) {
      i = left;
      return left-- > 0;
    }
  } s;
  tbb::parallel_while<wbody> pw;
  pw.run(s, wb);
  tbb::parallel_invoke([] {}, [] {});
  tbb::parallel_invoke([] {}, [] {}, [] {}, c);
}
void iterators_and_ranges() {
  std::vector<int> w(10);
  tbb::counting_iterator<int> ci(0), cj(3);
  auto z = tbb::make_zip_iterator(w.begin(), ci);
  auto t = tbb::make_transform_iterator(w.begin(), [](int i) { return i; });
  (void)(cj - ci);
  (void)*z;
  (void)*t;
  tbb::zip_iterator<std::vector<int>::iterator, tbb::counting_iterator<int>> zz = z;
  (void)zz;
  tbb::blocked_rangeNd<int, 2> nd({0, 3}, {0, 4, 2});
  (void)nd.dim(0);
  tbb::blocked_range2d<int> d2(0, 1, 0, 1);
  tbb::blocked_range3d<int> d3(0, 1, 0, 1, 0, 1);
  (void)d2.rows();
  (void)d3.pages();
}
struct src : tbb::filter {
  int left = 3;
  src() : filter(serial_in_order) {}
  void* operator()(void*) override { return left-- > 0 ? this : nullptr; }
};
struct pass : tbb::filter {
  pass() : filter(parallel) {}
  void* operator()(void* p) override { return p; }
  void finalize(void*) override {}
};
struct old : tbb::filter {
  old() : filter(true) {}
  void* operator()(void*) override { return nullptr; }
};
void pipes() {
  src a;
  pass b;
  old o;
  tbb::pipeline p;
  p.add_filter(a);
  p.add_filter(b);
  p.add_filter(o);
  p.run(3);
  tbb::task_group_context c;
  p.run(3, c);
  p.clear();
  bool q = a.is_serial();
  q = a.is_ordered();
  q = a.is_bound();
  (void)q;
  auto in = tbb::make_filter<void, int>(tbb::filter::serial, [](tbb::flow_control& f) {
    f.stop();
    return 1;
  });
  tbb::filter_t<int, void> out(tbb::filter::parallel, [](int) {});
  tbb::filter_t<void, void> all = in & out;
  tbb::parallel_pipeline(2, all);
  tbb::parallel_pipeline(2, all, c);
  tbb::parallel_pipeline(2, in & out);
  all.clear();
  tbb::filter::mode m = tbb::filter::serial_out_of_order;
  m = tbb::filter::serial_in_order;
  (void)m;
  struct tb : tbb::thread_bound_filter {
    tb() : thread_bound_filter(serial_in_order) {}
    void* operator()(void*) override { return nullptr; }
  };
  tb x;
  (void)x;
  tbb::thread_bound_filter::result_type r = tbb::thread_bound_filter::success;
  r = tbb::thread_bound_filter::item_not_available;
  r = tbb::thread_bound_filter::end_of_stream;
  (void)r;
}

}  // namespace

TEST_CASE("classic names of tasks, arenas, algorithms and pipelines") {
  tasks();
  properties();
  roots();
  scheduler();
  groups();
  arenas();
  algorithms();
  reductions();
  walks();
  iterators_and_ranges();
  pipes();
}
