// SPDX-License-Identifier: Apache-2.0
// Classic tasks with a thief: a wait ends after all children, a continuation and a recycled task run once when their
// count is down, with what the children did, and a task's memory is nobody's until its last user has let go of it.
// classic_task.h, classic_task.cpp, the deque, the task pool and the parking lot are the real ones.
#include <scenes.h>

#include <parking_lot.h>
#include <two_slots.h>
#include "sched/policy/job_kind.cpp"
#include "sched/tasks/classic_task.cpp"

using namespace ashlar;

namespace ashlar::inline v1::obs {

atomic<bool> trace_on_{false};

}  // namespace ashlar::inline v1::obs

namespace ashlar::inline v1::sched {

// The scene's threads find it where thieves look.
void slot::enqueue(job& what, int) { spawn(what, 1); }
void enqueue_job(arena&, job&, int) { model::require(false, "there is one arena"); }
void spawn_urgent(slot&, job&, job_key) { model::require(false, "no group has a priority"); }
void spawn_deferred(slot&, job&) { model::require(false, "no group has a priority"); }
void spawn_to(slot&, job&, job_key, unsigned) { model::require(false, "no task has an affinity"); }
void context::record_exception() noexcept { model::require(false, "no task throws"); }
void context::rethrow() {}
void context::reset() noexcept {}
atomic<std::uint32_t> context::priority_changes{0};
int context::find_priority() const noexcept { return 2; }
void bind_context(context&, context*, bool, atomic<bool>& settled) noexcept { settled.store(true, mo::release); }
arena& make_arena(arena_settings const&) { __builtin_unreachable(); }
void drop_arena(arena&) noexcept {}
void write_begin(job&) noexcept {}
void write_spawn(job&) noexcept {}

}  // namespace ashlar::inline v1::sched

namespace {

using tbb::task;

struct stage : model::two_slots {
  static constexpr int most = 4;

  model::var<int> results[most];
  model::var<int> joined{0};

  void need(int n) {
    for (int i = 0; i < n; ++i) model::require(results[i].get() == 1, "the children are over");
  }
  // What comes after the children, once.
  void join(int n) {
    need(n);
    joined.set(joined.get() + 1);
  }
  void joined_once() { model::require(joined.get() == 1, "what comes after the children comes once"); }
};

struct child : task {
  child(stage& s, int i) : in(s), number(i) {}
  task* execute() override {
    in.results[number].set(in.results[number].get() + 1);
    return nullptr;
  }
  stage& in;
  int number;
};

// The blocking style.
void waits() {
  stage s;
  model::thread thief("thief", [&s] { s.steal(); });
  task& parent = *new (task::allocate_root()) tbb::empty_task;
  parent.set_ref_count(3);
  task::spawn(*new (parent.allocate_child()) child(s, 0));
  parent.spawn_and_wait_for_all(*new (parent.allocate_child()) child(s, 1));
  s.need(2);
  task::destroy(parent);
  thief.join();
}

struct joiner : task {
  explicit joiner(stage& s) : in(s) {}
  task* execute() override {
    in.join(2);
    return nullptr;
  }
  stage& in;
};

// Continuation passing: the task that is last runs the continuation.
struct splitting : task {
  explicit splitting(stage& s) : in(s) {}
  task* execute() override {
    joiner& after = *new (allocate_continuation()) joiner(in);
    after.set_ref_count(2);
    task::spawn(*new (after.allocate_child()) child(in, 0));
    return new (after.allocate_child()) child(in, 1);
  }
  stage& in;
};

// The task becomes its own continuation, whose count holds one more until execute() has returned.
template <bool ToBeEnqueued>
struct safely_recycled : task {
  explicit safely_recycled(stage& s) : in(s) {}
  task* execute() override {
    if (again) {
      in.join(2);
      return nullptr;
    }
    again = true;
    set_ref_count(3);
    task::spawn(*new (allocate_child()) child(in, 0));
    task::spawn(*new (allocate_child()) child(in, 1));
    ToBeEnqueued ? recycle_to_enqueue() : recycle_as_safe_continuation();
    return nullptr;
  }
  stage& in;
  bool again = false;
};

// Without that one, so that it has to return a child.
struct recycled : task {
  explicit recycled(stage& s) : in(s) {}
  task* execute() override {
    if (again) {
      in.join(2);
      return nullptr;
    }
    again = true;
    recycle_as_continuation();
    set_ref_count(2);
    task::spawn(*new (allocate_child()) child(in, 0));
    return new (allocate_child()) child(in, 1);
  }
  stage& in;
  bool again = false;
};

// The task becomes a child of its continuation, and is returned; another child is spawned.
struct recycled_as_child : task {
  explicit recycled_as_child(stage& s) : in(s) {}
  task* execute() override {
    if (again) {
      in.results[1].set(1);
      return nullptr;
    }
    again = true;
    joiner& after = *new (allocate_continuation()) joiner(in);
    after.set_ref_count(2);
    task::spawn(*new (after.allocate_child()) child(in, 0));
    recycle_as_child_of(after);
    return this;
  }
  stage& in;
  bool again = false;
};

// The task is spawned again, where a thief may take it, and has what it did before.
struct executed_again : task {
  explicit executed_again(stage& s) : in(s) {}
  task* execute() override {
    if (in.results[0].get() == 0) {
      in.results[0].set(1);
      recycle_to_reexecute();
      return new (allocate_root()) child(in, 1);
    }
    in.join(1);
    return nullptr;
  }
  stage& in;
};

template <typename Root>
void root_and_join() {
  stage s;
  model::thread thief("thief", [&s] { s.steal(); });
  task::spawn_root_and_wait(*new (task::allocate_root()) Root(s));
  s.joined_once();
  thief.join();
}

// Another thread counts a child down by hand, and may find the waiter asleep.
void counted_down() {
  stage s;
  task& parent = *new (task::allocate_root()) tbb::empty_task;
  parent.set_ref_count(2);
  model::thread other("other", [&] {
    s.results[0].set(1);
    parent.decrement_ref_count();
  });
  parent.wait_for_all();
  s.need(1);
  task::destroy(parent);
  other.join();
}

// A child that another thread adds, and destroys unspawned.
void added_and_destroyed() {
  stage s;
  task& parent = *new (task::allocate_root()) tbb::empty_task;
  parent.set_ref_count(2);
  task& victim = *new (parent.allocate_child()) child(s, 1);
  model::thread other("other", [&] {
    s.sit_as_thief();
    task& more = *new (task::allocate_additional_child_of(parent)) child(s, 2);
    s.results[0].set(1);
    task::destroy(victim);
    task::spawn(more);
    s.slots[1].run_newest();
  });
  parent.wait_for_all();
  s.need(1);
  model::require(s.results[1].get() == 0 && s.results[2].get() == 1, "the added child ran, the other one did not");
  task::destroy(parent);
  other.join();
}

// The stolen child's memory goes back to the pool that it came from, and is used again.
void memory_used_again() {
  stage s;
  model::thread thief("thief", [&s] { s.steal(); });
  task& parent = *new (task::allocate_root()) tbb::empty_task;
  parent.set_ref_count(3);
  task::spawn(*new (parent.allocate_child()) child(s, 0));
  task::spawn(*new (parent.allocate_child()) child(s, 1));
  parent.wait_for_all();
  s.need(2);
  parent.set_ref_count(2);
  task::spawn(*new (parent.allocate_child()) child(s, 2));
  parent.wait_for_all();
  s.need(3);
  task::destroy(parent);
  thief.join();
}

// Several threads wait for one task's children.
void two_waiters() {
  stage s;
  tbb::task_group_context group(tbb::task_group_context::isolated, tbb::task_group_context::concurrent_wait);
  task& parent = *new (task::allocate_root(group)) tbb::empty_task;
  parent.set_ref_count(2);
  task& only = *new (parent.allocate_child()) child(s, 0);
  model::thread other("waits, too", [&] {
    s.sit_as_thief();
    parent.wait_for_all();
    s.need(1);
  });
  task::spawn(only);
  parent.wait_for_all();
  s.need(1);
  other.join();
  parent.set_ref_count(0);
  task::destroy(parent);
}

model::scene const scenes[] = {{"waits", waits, 3},
                               {"continuation", root_and_join<splitting>, 3},
                               {"safe continuation", root_and_join<safely_recycled<false>>, 3},
                               {"enqueued again", root_and_join<safely_recycled<true>>, 2},
                               {"recycled", root_and_join<recycled>, 3},
                               {"recycled as a child", root_and_join<recycled_as_child>, 3},
                               {"executed again", root_and_join<executed_again>, 3},
                               {"counted down", counted_down, 4},
                               {"added and destroyed", added_and_destroyed, 3},
                               {"memory used again", memory_used_again, 2},
                               {"two waiters", two_waiters, 2}};

}  // namespace

TEST_CASE("what waits for children comes once, and after them") { model::check_all(scenes, model::without_leaks()); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes,
                          {"include/ashlar/sched/tasks/classic_prefix.h", "include/ashlar/sched/tasks/classic_task.h",
                           "src/sched/tasks/classic_task.cpp", "src/sched/tasks/child_count.h"},
                          {}, model::without_leaks());
}
