// SPDX-License-Identifier: Apache-2.0
// Classic tasks and what else oneTBB has not.
#include "cases.h"
#include "posting.h"
#include "slots.h"

#include <tbb/parallel_do.h>
#include <tbb/parallel_while.h>
#include <tbb/pipeline.h>
#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>
#include <tbb/tbb_thread.h>

namespace growth {

namespace {

template <typename F>
class calling : public tbb::task {
 public:
  explicit calling(F f) : f_(std::move(f)), text_(some_text(100)) {}
  tbb::task* execute() override {
    f_();
    return nullptr;
  }

 private:
  F f_;
  std::string text_;
};
template <typename F>
auto& root_of(F f) {
  return *new (tbb::task::allocate_root()) calling<F>(std::move(f));
}

void enqueued(run& r) {
  post(r, 500, [](tbb::task_arena& a, auto ended) { tbb::task::enqueue(root_of(ended), a); });
}
// A task is made, and ended without having run.
void destroyed(run& r) {
  auto const nothing = [] {};
  exchange(
      r, 500, [&](long) { return reinterpret_cast<item>(&root_of(nothing)); },
      [&](item x) { tbb::task::destroy(*reinterpret_cast<calling<decltype(nothing)>*>(x)); });
}

template <typename F>
void in_arena(run& r, F const& f) {
  in_slots(r, [&] {
    pace p(r.m);
    while (p.step()) f();
  });
}
// Ten children at once, which others may take.
void children(run& r) {
  in_arena(r, [] {
    auto& parent = root_of([] {});
    parent.set_ref_count(11);
    for (int i = 0; i < 10; ++i) {
      auto const nothing = [] {};
      tbb::task::spawn(*new (parent.allocate_child()) calling(nothing));
    }
    parent.wait_for_all();
    tbb::task::destroy(parent);
  });
}
class continuing : public tbb::task {
 public:
  explicit continuing(int left) : left_(left) {}
  tbb::task* execute() override {
    if (left_ == 0) return nullptr;
    auto& rest = *new (allocate_continuation()) tbb::empty_task;
    rest.set_ref_count(2);
    spawn(*new (rest.allocate_child()) continuing(left_ - 1));
    recycle_as_child_of(rest);
    --left_;
    return this;
  }

 private:
  int left_;
};
void continuations(run& r) {
  in_arena(r, [] { tbb::task::spawn_root_and_wait(*new (tbb::task::allocate_root()) continuing(3)); });
}
void lists(run& r) {
  in_arena(r, [] {
    tbb::task_list l;
    for (int i = 0; i < 5; ++i) l.push_back(root_of([] {}));
    tbb::task::spawn_root_and_wait(l);
  });
}

// Chains of items, each of which adds the next.
void adding(run& r) {
  std::vector<std::string> first(makers(r.form), some_text(7));
  tbb::task_arena a(static_cast<int>(1 + enders(r.form)));
  a.execute([&] {
    tbb::parallel_do(first.begin(), first.end(), [&](std::string const& s, tbb::parallel_do_feeder<std::string>& f) {
      if (r.m.count(1)) f.add(s);
    });
  });
}

class making : public tbb::filter {
 public:
  explicit making(run& r) : filter(serial_in_order), pace_(r.m) {}
  void* operator()(void*) override { return pace_.step() ? new std::string(some_text(at_++)) : nullptr; }

 private:
  pace pace_;
  long at_ = 0;
};
class ending : public tbb::filter {
 public:
  explicit ending(bool many_at_once) : filter(many_at_once ? parallel : serial_out_of_order) {}
  void* operator()(void* x) override {
    delete static_cast<std::string*>(x);
    return nullptr;
  }
};
class passing : public tbb::filter {
 public:
  passing() : filter(parallel) {}
  void* operator()(void* x) override { return x; }
};
void filters(run& r) {
  making first(r);
  passing middle;
  ending last(enders(r.form) > 1);
  tbb::pipeline p;
  p.add_filter(first);
  if (makers(r.form) > 1) p.add_filter(middle);
  p.add_filter(last);
  p.run(16);
}

void initializations(run& r) {
  short_threads(r, [](long) {
    tbb::task_scheduler_init const own(2);
    tbb::task::spawn_root_and_wait(root_of([] {}));
  });
}
void tbb_threads(run& r) {
  exchange_objects(
      r, 5, [](long i) { return new tbb::tbb_thread([x = some_text(i)] { static_cast<void>(x); }); },
      [](tbb::tbb_thread& t) { t.join(); });
}

}  // namespace

void add_classic(table& t) {
  t.push_back({"task_enqueue", 100'000, enqueued});
  t.push_back({"task_destroy", 300'000, destroyed});
  t.push_back({"task_children", 30'000, children});
  t.push_back({"task_continuations", 30'000, continuations});
  t.push_back({"task_lists", 30'000, lists});
  t.push_back({"parallel_do", 100'000, adding});
  t.push_back({"classic_pipeline", 100'000, filters});
  t.push_back({"task_scheduler_init", 3000, initializations});
  t.push_back({"tbb_thread", 3000, tbb_threads});
}

}  // namespace growth
