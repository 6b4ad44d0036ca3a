// SPDX-License-Identifier: Apache-2.0
// Groups of classic tasks: what context(), self() and current_context() tell, and floating-point settings.
#include <support/flush_to_zero.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task.h>

#include <doctest/doctest.h>

#include <functional>

using tbb::task;

namespace {

// Runs a function as a task.
class calling : public task {
 public:
  explicit calling(std::function<task*(calling&)> f) : f_(std::move(f)) {}
  task* execute() override { return f_(*this); }

 private:
  std::function<task*(calling&)> f_;
};

}  // namespace

TEST_CASE("groups: context, change_group, priorities") {
  tbb::task_group_context group;
  calling& t = *new (task::allocate_root(group)) calling([&](calling& self) -> task* {
    CHECK(self.group() == &group);
    CHECK(self.context() == &group);
    CHECK(task::current_context() == &group);
    tbb::empty_task& child = *new (self.allocate_child()) tbb::empty_task;
    CHECK(child.group() == &group);
    tbb::task_group_context other;
    child.change_group(other);
    CHECK(child.group() == &other);
    child.set_parent(nullptr);
    task::destroy(child);
    self.set_group_priority(tbb::priority_high);
    CHECK(self.group_priority() == tbb::priority_high);
    CHECK(group.priority() == tbb::priority_high);
    return nullptr;
  });
  task::spawn_root_and_wait(t);
  CHECK(task::current_context() == nullptr);
  task::spawn_root_and_wait(*new (task::allocate_root()) calling([](calling& self) -> task* {
    CHECK(self.group() != nullptr);
    CHECK(self.group() == self.context());
    CHECK(task::current_context() == self.group());
    return nullptr;
  }));
}

TEST_CASE("self() outside of classic tasks tells the group") {
  CHECK_FALSE(task::self().is_cancelled());
  CHECK(task::self().state() == task::executing);
  int seen = 0;
  tbb::task_group_context group;
  tbb::parallel_invoke(
      [&] {
        task& outer = task::self();
        CHECK(outer.group() == &group);
        tbb::task_group_context inner_group;
        tbb::parallel_invoke([&] { CHECK(task::self().group() == &inner_group); }, [] {}, inner_group);
        CHECK(outer.group() == &group);
        CHECK(&task::self() == &outer);
        CHECK_FALSE(task::self().is_cancelled());
        ++seen;
        CHECK(task::self().cancel_group_execution());
        CHECK(task::self().is_cancelled());
      },
      [] {}, group);
  CHECK(seen == 1);
  CHECK(group.is_group_execution_cancelled());
  CHECK_FALSE(task::self().is_cancelled());
}

TEST_CASE("floating-point settings belong to the group") {
  test::flush_to_zero(true);
  tbb::task_group_context group(tbb::task_group_context::bound, tbb::task_group_context::fp_settings);
  test::flush_to_zero(false);
  bool inside = false, nested = true, after_nested = false;
  task::spawn_root_and_wait(*new (task::allocate_root(group)) calling([&](calling&) -> task* {
    inside = test::flushes_to_zero();
    tbb::task_group_context plain(tbb::task_group_context::isolated);
    task::spawn_root_and_wait(*new (task::allocate_root(plain)) calling([&](calling&) -> task* {
      nested = test::flushes_to_zero();
      return nullptr;
    }));
    after_nested = test::flushes_to_zero();
    return nullptr;
  }));
  CHECK(inside);
  CHECK_FALSE(nested);
  CHECK(after_nested);
  CHECK_FALSE(test::flushes_to_zero());
}
