// SPDX-License-Identifier: Apache-2.0
// Prints what rarer overloads of classic TBB's tasks, algorithms and pipelines do, a line each, section by section.
// run.py compiles it against ours and TBB 2020 and compares the lines.
#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#define TBB_PREVIEW_BLOCKED_RANGE_ND 1
#include <tbb/blocked_rangeNd.h>
#include <tbb/compat/ppl.h>
#include <tbb/parallel_while.h>
#include <tbb/tbb.h>

#include "../told.h"

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

// A: exceptions and raw storage.
void configuration() {
  tbb::captured_exception copied(tbb::captured_exception("a name", "a text"));
  tell("A captured name", std::string(copied.name()));
  tell("A captured text", std::string(copied.what()));
  copied.set("b", "c");
  tell("A set anew", std::string(copied.name()) + copied.what());
  tbb::movable_exception<int> carried(4);
  carried.data() = 5;
  tell("A data", carried.data());
  std::unique_ptr<tbb::tbb_exception, void (*)(tbb::tbb_exception*)> moved(carried.move(),
                                                                           [](tbb::tbb_exception* e) { e->destroy(); });
  tell("A moved exception rethrows", thrown([&] {
         try {
           moved->throw_self();
         } catch (tbb::movable_exception<int>& e) {
           throw e.data();
         }
       }));
  tbb::aligned_space<std::string, 2> space;
  tell("A space", space.end() - space.begin());
  tbb::proportional_split parts(1, 2);
  tell("A proportion", long(parts.left() * 10 + parts.right()));
}

// B: tasks. A fib in the continuation style, with a recycled child and a bypass.
struct sum_of : tbb::task {
  tbb::task* execute() override {
    *sum = a + b;
    return nullptr;
  }
  long a = 0, b = 0;
  long* sum = nullptr;
};
struct fib : tbb::task {
  fib(int n, long* sum) : n_(n), sum_(sum) {}
  tbb::task* execute() override {
    if (n_ < 2) {
      *sum_ = n_;
      return nullptr;
    }
    sum_of& next = *new (allocate_continuation()) sum_of;
    next.sum = sum_;
    fib& right = *new (next.allocate_child()) fib(n_ - 2, &next.b);
    recycle_as_child_of(next);
    n_ -= 1;
    sum_ = &next.a;
    next.set_ref_count(2);
    tbb::task::spawn(right);
    return this;
  }
  int n_;
  long* sum_;
};
struct again : tbb::task {
  explicit again(int* runs) : runs_(runs) {}
  tbb::task* execute() override {
    if (++*runs_ == 3) return nullptr;
    recycle_to_reexecute();
    return new (allocate_additional_child_of(*parent())) tbb::empty_task;
  }
  int* runs_;
};
struct safe : tbb::task {
  explicit safe(int* runs) : runs_(runs) {}
  tbb::task* execute() override {
    if (++*runs_ == 2) return nullptr;
    set_ref_count(3);
    recycle_as_safe_continuation();
    tbb::task_list list;
    list.push_back(*new (allocate_child()) tbb::empty_task);
    list.push_back(*new (allocate_child()) tbb::empty_task);
    tbb::task::spawn(list);
    return nullptr;
  }
  int* runs_;
};
struct throws : tbb::task {
  tbb::task* execute() override { throw 12; }
};

void tasks() {
  tbb::task_scheduler_init init;
  long sum = 0;
  tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) fib(15, &sum));
  tell("B fib with continuations", sum);
  int runs = 0;
  tbb::empty_task& root = *new (tbb::task::allocate_root()) tbb::empty_task;
  root.set_ref_count(1);
  tell("B state before", root.state() == tbb::task::allocated);
  tell("B add_ref_count", (root.add_ref_count(1), root.ref_count()));
  root.spawn_and_wait_for_all(*new (root.allocate_child()) again(&runs));
  tell("B reexecuted", runs);
  tell("B references after the wait", root.ref_count());
  runs = 0;
  root.set_ref_count(2);
  root.spawn_and_wait_for_all(*new (root.allocate_child()) safe(&runs));
  tell("B safe continuation", runs);
  root.set_ref_count(2);
  tell("B decrement", root.decrement_ref_count());
  tbb::task::destroy(root);
  tbb::task_list roots;
  runs = 0;
  struct counts : tbb::task {
    explicit counts(int* n) : n_(n) {}
    tbb::task* execute() override { return ++*n_, nullptr; }
    int* n_;
  };
  roots.push_back(*new (tbb::task::allocate_root()) counts(&runs));
  tbb::task::spawn_root_and_wait(roots);
  tell("B a list of roots", runs * 10 + roots.empty());
  tbb::task_group_context context;
  tell("B a throwing task",
       thrown([&] { tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root(context)) throws); }));
  tell("B its context", context.is_group_execution_cancelled());
  context.reset();
  context.set_priority(tbb::priority_high);
  tell("B priority", context.priority() == tbb::priority_high);
  tbb::empty_task& child = *new (tbb::task::allocate_root(context)) tbb::empty_task;
  tell("B group of a task", child.group() == &context);
  tbb::task_group_context other;
  child.change_group(other);
  tell("B changed group", child.group() == &other);
  child.set_group_priority(tbb::priority_low);
  tell("B group priority", child.group_priority() == tbb::priority_low);
  child.set_affinity(3);
  tell("B affinity", child.affinity());
  tell("B cancels once", child.cancel_group_execution() * 10 + child.cancel_group_execution());
  tell("B is cancelled", child.is_cancelled());
  tbb::task::destroy(child);
}

void groups() {
  tbb::structured_task_group structured;
  std::atomic<int> ran{0};
  auto one = tbb::make_task([&] { ++ran; });
  tbb::task_handle<std::function<void()>> two([&] { ran += 10; });
  structured.run(one);
  tell("B run_and_wait of a handle", structured.run_and_wait(two));
  tell("B both ran", ran);
  tbb::task_group group;
  auto three = tbb::make_task([&] { ran += 5; });
  group.run(three);
  group.wait();
  tell("B it ran once", ran);
  group.cancel();
  tell("B cancelled group", group.wait());
  tell("B a function object by run_and_wait", group.run_and_wait([&] { ran += 100; }));
  tell("B ran in all", ran);
  {
    Concurrency::task_group other;
    tell("B Concurrency's", other.run_and_wait([] {}));
  }
  tell("B missing wait", thrown([&] {
         tbb::task_group forgotten;
         forgotten.run([] {});
       }));
  tbb::task_arena arena(2);
  tell("B arena", arena.execute([] { return tbb::this_task_arena::max_concurrency(); }));
  tell("B isolate", tbb::this_task_arena::isolate([] { return 3; }));
  tbb::task_scheduler_init late(tbb::task_scheduler_init::deferred);
  tell("B deferred", late.is_active());
  late.initialize(2);
  tell("B initialised", late.is_active());
  late.terminate();
  tell("B terminated", late.is_active());
  tbb::tbb_thread thread([](int a, int* b) { *b = a; }, 7, reinterpret_cast<int*>(&ran));
  thread.join();
  tell("B a thread of two arguments", ran * 10 + thread.joinable());
}

// C: ranges and algorithms.
void ranges() {
  tbb::blocked_rangeNd<int, 2> flat({0, 8, 2}, {0, 100, 10}), half(flat, tbb::split());
  tell("C nd split", long(flat.dim(0).size() * 1000 + flat.dim(1).size()) + half.dim(1).begin());
  tbb::counting_iterator<int> count(3);
  tell("C counting", count[4] + *(count + 2) - (tbb::counting_iterator<int>(9) - count));
  std::vector<int> a{3, 1, 2}, b{30, 10, 20};
  auto both = tbb::make_zip_iterator(a.begin(), b.begin());
  tell("C zip", std::get<1>(both[2]) + std::get<0>(*++both));
  auto const twice = tbb::make_transform_iterator(a.begin(), [](int i) { return 2 * i; });
  tell("C transform", *twice * 10 + twice[1]);
}

struct summing {
  summing() = default;
  summing(summing&, tbb::split) {}
  void operator()(tbb::blocked_range<int> const& r) {
    for (int i = r.begin(); i < r.end(); ++i) sum += i;
  }
  void join(summing& right) { sum += right.sum; }
  template <typename Tag>
  void operator()(tbb::blocked_range<int> const& r, Tag) {
    for (int i = r.begin(); i < r.end(); ++i) {
      sum += i;
      if (Tag::is_final_scan()) (*out)[std::size_t(i)] = sum;
    }
  }
  summing(std::vector<int>* o) : out(o) {}
  void reverse_join(summing& left) { sum += left.sum; }
  void assign(summing& other) { sum = other.sum; }
  int sum = 0;
  std::vector<int>* out = nullptr;
};
struct scanning : summing {
  using summing::summing;
  scanning(scanning& other, tbb::split) : summing(other.out) {}
};
struct stream {
  bool pop_if_present(int& item) { return (item = next++) < 5; }
  int next = 0;
};
struct while_body {
  using argument_type = int;
  void operator()(int item) const {
    *sum += item;
    if (item == 4) loop->add(100);
  }
  tbb::parallel_while<while_body>* loop;
  std::atomic<int>* sum;
};

void loops() {
  std::atomic<int> count{0};
  std::list<int> const list{1, 2, 3};
  tbb::parallel_do(list.begin(), list.end(), [&](int i, tbb::parallel_do_feeder<int>& more) {
    count += i;
    if (i == 2) more.add(40);
  });
  tell("C do", count.exchange(0));
  tbb::task_group_context context;
  tbb::parallel_do(list, [&](int i) { count += i; }, context);
  tell("C do in a context", count.exchange(0));
  tbb::parallel_while<while_body> loop;
  stream from;
  loop.run(from, while_body{&loop, &count});
  tell("C while", count.exchange(0));
  summing sum;
  tbb::affinity_partitioner affine;
  tbb::parallel_reduce(tbb::blocked_range<int>(0, 100, 3), sum, affine, context);
  tell("C reduce", sum.sum);
  summing fixed;
  tbb::parallel_deterministic_reduce(tbb::blocked_range<int>(0, 100, 3), fixed, tbb::simple_partitioner(), context);
  tell("C deterministic", fixed.sum);
  std::vector<int> out(50);
  scanning scan(&out);
  tbb::parallel_scan(tbb::blocked_range<int>(0, 50), scan, tbb::auto_partitioner());
  tell("C scan", scan.sum * 1000 + out[20]);
  tbb::parallel_invoke([&] { ++count; }, [&] { ++count; }, [&] { ++count; }, [&] { ++count; }, context);
  tell("C invoke", count.exchange(0));
  std::vector<double> numbers(600);
  std::iota(numbers.rbegin(), numbers.rend(), 0.0);
  tbb::parallel_sort(numbers);
  tell("C sort", long(numbers[77]));
}

// D: pipelines of classes.
struct numbers_stage : tbb::filter {
  numbers_stage() : tbb::filter(serial_in_order) {}
  void* operator()(void*) override { return next_ < last_ ? &values_[next_++] : nullptr; }
  int next_ = 0, last_ = 8;
  int values_[8] = {1, 2, 3, 4, 5, 6, 7, 8};
};
struct middle_stage : tbb::filter {
  middle_stage() : tbb::filter(parallel) {}
  void* operator()(void* item) override { return item; }
};
struct sum_stage : tbb::thread_bound_filter {
  sum_stage() : tbb::thread_bound_filter(serial_in_order) {}
  void* operator()(void* item) override {
    sum_ = sum_ * 3 + *static_cast<int*>(item);
    return nullptr;
  }
  int sum_ = 0;
};

void pipelines() {
  numbers_stage first;
  middle_stage middle;
  sum_stage last;
  tbb::pipeline line;
  line.add_filter(first);
  line.add_filter(middle);
  line.add_filter(last);
  tell("D kinds", first.is_ordered() * 100 + middle.is_serial() * 10 + last.is_bound());
  tbb::tbb_thread runner([&] { line.run(3); });
  int items = 0;
  while (last.process_item() != tbb::thread_bound_filter::end_of_stream) ++items;
  runner.join();
  tell("D items of the bound thread", items);
  tell("D in order", last.sum_);
  line.clear();
  int next = 0, sum = 0;
  tbb::filter_t<void, int> source(tbb::filter::serial_in_order, [&](tbb::flow_control& control) {
    if (next >= 6) control.stop();
    return next++;
  });
  tbb::filter_t<void, void> const whole =
      source & tbb::make_filter<int, long>(tbb::filter::parallel, [](int i) { return long(i) * i; }) &
      tbb::make_filter<long, void>(tbb::filter::serial, [&](long i) { sum = sum * 2 + int(i % 7); });
  tbb::task_group_context context;
  tbb::parallel_pipeline(2, whole, context);
  tell("D functional form", sum);
  source.clear();
  tbb::parallel_pipeline(2, whole);
  tell("D after clear of a part", next);
}

}  // namespace

int main() {
  configuration();
  tasks();
  groups();
  ranges();
  loops();
  pipelines();
}
