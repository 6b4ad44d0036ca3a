// SPDX-License-Identifier: Apache-2.0
// The members of tbb::task one by one, on one thread unless more are needed.
#include "support/eventually.h"

#include <tbb/task.h>
#include <tbb/task_scheduler_init.h>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using tbb::task;

namespace {

std::atomic<int> alive{0};

// Runs a function as a task.
class calling : public task {
 public:
  explicit calling(std::function<task*(calling&)> f) : f_(std::move(f)) { ++alive; }
  ~calling() override { --alive; }
  task* execute() override { return f_(*this); }

 private:
  std::function<task*(calling&)> f_;
};

void run(std::function<task*(calling&)> f) {
  task::spawn_root_and_wait(*new (task::allocate_root()) calling(std::move(f)));
}

task* note(std::string& log, char what) {
  log += what;
  return nullptr;
}

// Runs f in a thread of its own with so many threads to help.
template <typename F>
void with_threads(int n, F f) {
  std::thread([&] {
    tbb::task_scheduler_init init(n);
    f();
  }).join();
}

template <int Size>
struct sized : task {
  unsigned char body[Size];
  bool& aligned;
  explicit sized(bool& a) : aligned(a) {}
  task* execute() override {
    aligned = reinterpret_cast<std::uintptr_t>(this) % 64 == 0;
    for (auto& b : body) b = 1;
    return nullptr;
  }
};

struct throwing : task {
  throwing() { throw std::runtime_error("constructor"); }
  task* execute() override { return nullptr; }
};

}  // namespace

TEST_CASE("objects of every size are aligned and freed") {
  bool a = false, b = false, c = false;
  task::spawn_root_and_wait(*new (task::allocate_root()) sized<1>(a));
  task::spawn_root_and_wait(*new (task::allocate_root()) sized<400>(b));
  task::spawn_root_and_wait(*new (task::allocate_root()) sized<5000>(c));
  CHECK(a);
  CHECK(b);
  CHECK(c);
  task::destroy(*new (task::allocate_root()) sized<5000>(c));
}

TEST_CASE("a task knows its state, its parent and itself") {
  calling& root = *new (task::allocate_root()) calling([](calling& t) -> task* {
    CHECK(t.state() == task::executing);
    CHECK(&task::self() == &t);
    CHECK(t.is_owned_by_current_thread());
    CHECK_FALSE(t.is_stolen_task());
    CHECK_FALSE(t.is_enqueued_task());
    calling& child = *new (t.allocate_child()) calling([&t](calling& c) -> task* {
      CHECK(c.parent() == &t);
      CHECK(&task::self() == &c);
      CHECK(t.ref_count() == 2);
      return nullptr;
    });
    CHECK(child.state() == task::allocated);
    t.set_ref_count(2);
    t.spawn(child);
    CHECK(child.state() == task::ready);
    t.wait_for_all();
    CHECK(t.ref_count() == 0);
    CHECK(&task::self() == &t);
    return nullptr;
  });
  CHECK(root.parent() == nullptr);
  CHECK(root.ref_count() == 0);
  with_threads(1, [&] { task::spawn_root_and_wait(root); });
  CHECK(alive == 0);
}

TEST_CASE("counts are set, added to and returned") {
  tbb::empty_task& t = *new (task::allocate_root()) tbb::empty_task;
  t.set_ref_count(3);
  CHECK(t.ref_count() == 3);
  t.increment_ref_count();
  CHECK(t.ref_count() == 4);
  CHECK(t.add_ref_count(5) == 9);
  CHECK(t.add_ref_count(-7) == 2);
  CHECK(t.decrement_ref_count() == 1);
  CHECK(t.decrement_ref_count() == 0);
  task::destroy(t);
}

TEST_CASE("destroy frees a task and counts its parent down") {
  tbb::empty_task& parent = *new (task::allocate_root()) tbb::empty_task;
  parent.set_ref_count(3);
  calling& child = *new (parent.allocate_child()) calling([](calling&) { return nullptr; });
  CHECK(alive == 1);
  parent.destroy(child);
  CHECK(alive == 0);
  CHECK(parent.ref_count() == 2);
  calling& more = *new (task::allocate_additional_child_of(parent)) calling([](calling&) { return nullptr; });
  CHECK(parent.ref_count() == 3);
  task::destroy(more);
  CHECK(parent.ref_count() == 2);
  parent.set_ref_count(0);
  task::destroy(parent);
}

TEST_CASE("a constructor that throws undoes the allocation") {
  tbb::empty_task& parent = *new (task::allocate_root()) tbb::empty_task;
  parent.set_ref_count(1);
  CHECK_THROWS_AS(new (task::allocate_root()) throwing, std::runtime_error);
  CHECK_THROWS_AS(new (parent.allocate_child()) throwing, std::runtime_error);
  CHECK_THROWS_AS(new (parent.allocate_additional_child_of(parent)) throwing, std::runtime_error);
  CHECK(parent.ref_count() == 1);
  calling& child = *new (parent.allocate_child()) calling([](calling&) { return nullptr; });
  CHECK_THROWS_AS(new (child.allocate_continuation()) throwing, std::runtime_error);
  CHECK(child.parent() == &parent);
  tbb::task_group_context context;
  CHECK_THROWS_AS(new (task::allocate_root(context)) throwing, std::runtime_error);
  child.set_parent(nullptr);
  task::destroy(child);
  task::destroy(parent);
}

TEST_CASE("a continuation takes the place of its maker") {
  std::string log;
  with_threads(1, [&] {
    run([&](calling& t) -> task* {
      task* const above = t.parent();
      calling& c = *new (t.allocate_continuation()) calling([&](calling&) { return note(log, 'c'); });
      CHECK(t.parent() == nullptr);
      CHECK(c.parent() == above);
      CHECK(c.depth() == t.depth());
      calling& a = *new (c.allocate_child()) calling([&](calling&) { return note(log, 'a'); });
      calling& b = *new (c.allocate_child()) calling([&](calling&) { return note(log, 'b'); });
      c.set_ref_count(2);
      t.spawn(b);
      return &a;
    });
  });
  CHECK(log == "abc");
  CHECK(alive == 0);
}

TEST_CASE("recycling: every way of keeping a task") {
  std::string log;
  SUBCASE("as a continuation") {
    int round = 0;
    with_threads(1, [&] {
      run([&](calling& t) -> task* {
        log += 'r';
        if (++round == 2) return nullptr;
        calling& child = *new (t.allocate_child()) calling([&](calling&) { return note(log, 'c'); });
        t.set_ref_count(1);
        t.recycle_as_continuation();
        return &child;
      });
    });
    CHECK(log == "rcr");
  }
  SUBCASE("as a safe continuation") {
    int round = 0;
    with_threads(1, [&] {
      run([&](calling& t) -> task* {
        log += 'r';
        if (++round == 2) return nullptr;
        calling& child = *new (t.allocate_child()) calling([&](calling&) { return note(log, 'c'); });
        t.set_ref_count(2);
        t.recycle_as_safe_continuation();
        t.spawn(child);
        return nullptr;
      });
    });
    CHECK(log == "rcr");
  }
  SUBCASE("as a safe continuation without children") {
    int round = 0;
    with_threads(1, [&] {
      run([&](calling& t) -> task* {
        log += 'r';
        if (++round == 3) return nullptr;
        if (round == 1) t.set_ref_count(1);
        t.recycle_as_safe_continuation();
        return nullptr;
      });
    });
    CHECK(log == "rrr");
  }
  SUBCASE("to be executed again, behind another task") {
    int round = 0;
    with_threads(1, [&] {
      run([&](calling& t) -> task* {
        log += 'r';
        if (++round == 3) return nullptr;
        calling& next = *new (task::allocate_root()) calling([&](calling&) { return note(log, 'n'); });
        t.recycle_to_reexecute();
        return round == 1 ? &next : (task::destroy(next), nullptr);
      });
    });
    CHECK(log == "rnrr");
  }
  SUBCASE("as a child") {
    int round = 0;
    with_threads(1, [&] {
      run([&](calling& t) -> task* {
        log += 'r';
        if (++round == 2) {
          CHECK(t.depth() == t.parent()->depth() + 1);
          return nullptr;
        }
        calling& c = *new (t.allocate_continuation()) calling([&](calling&) { return note(log, 'c'); });
        t.recycle_as_child_of(c);
        CHECK(t.parent() == &c);
        c.set_ref_count(1);
        return &t;
      });
    });
    CHECK(log == "rrc");
  }
  SUBCASE("to be enqueued") {
    int round = 0;
    with_threads(2, [&] {
      run([&](calling& t) -> task* {
        log += t.is_enqueued_task() ? 'e' : 'r';
        if (++round == 2) return nullptr;
        t.set_ref_count(1);
        t.recycle_to_enqueue();
        return nullptr;
      });
    });
    CHECK(log == "re");
  }
  CHECK(alive == 0);
}

TEST_CASE("lists keep their order and are spawned front first") {
  std::string log;
  auto const make = [&](task& parent, char name) -> task& {
    return *new (parent.allocate_child()) calling([&log, name](calling&) { return note(log, name); });
  };
  SUBCASE("of the list itself") {
    tbb::empty_task& parent = *new (task::allocate_root()) tbb::empty_task;
    tbb::task_list list;
    CHECK(list.empty());
    task& a = make(parent, 'a');
    task& b = make(parent, 'b');
    task& c = make(parent, 'c');
    list.push_back(b);
    list.push_front(a);
    list.push_back(c);
    CHECK_FALSE(list.empty());
    CHECK(&list.pop_front() == &a);
    CHECK(&list.pop_front() == &b);
    list.push_back(a);
    CHECK(&list.pop_front() == &c);
    list.clear();
    CHECK(list.empty());
    list.push_front(b);
    CHECK(&list.pop_front() == &b);
    CHECK(list.empty());
    for (task* t : {&a, &b, &c}) {
      t->set_parent(nullptr);
      task::destroy(*t);
    }
    task::destroy(parent);
  }
  SUBCASE("spawn") {
    with_threads(1, [&] {
      run([&](calling& t) -> task* {
        tbb::task_list list;
        for (char name : {'a', 'b', 'c'}) list.push_back(make(t, name));
        t.set_ref_count(4);
        task::spawn(list);
        CHECK(list.empty());
        t.wait_for_all();
        return nullptr;
      });
    });
    CHECK(log == "abc");
  }
  SUBCASE("spawn_and_wait_for_all") {
    with_threads(1, [&] {
      run([&](calling& t) -> task* {
        tbb::task_list list;
        t.set_ref_count(1);
        t.spawn_and_wait_for_all(list);
        for (char name : {'a', 'b', 'c'}) list.push_back(make(t, name));
        t.set_ref_count(4);
        t.spawn_and_wait_for_all(list);
        CHECK(list.empty());
        return nullptr;
      });
    });
    CHECK(log == "abc");
  }
  SUBCASE("spawn_root_and_wait") {
    with_threads(1, [&] {
      tbb::task_list list;
      task::spawn_root_and_wait(list);
      for (char name : {'a', 'b', 'c'}) {
        list.push_back(*new (task::allocate_root()) calling([&log, name](calling&) { return note(log, name); }));
      }
      task::spawn_root_and_wait(list);
      CHECK(list.empty());
    });
    CHECK(log == "abc");
  }
  CHECK(alive == 0);
}

TEST_CASE("the depth is one more than the parent's unless it is set") {
  run([](calling& t) -> task* {
    tbb::empty_task& child = *new (t.allocate_child()) tbb::empty_task;
    CHECK(child.depth() == t.depth() + 1);
    tbb::empty_task& grandchild = *new (child.allocate_child()) tbb::empty_task;
    CHECK(grandchild.depth() == t.depth() + 2);
    child.set_depth(17);
    child.add_to_depth(-2);
    CHECK(child.depth() == 15);
    tbb::empty_task& other = *new (task::allocate_additional_child_of(child)) tbb::empty_task;
    CHECK(other.depth() == 16);
    for (task* one : {&other, &grandchild}) {
      one->set_parent(nullptr);
      task::destroy(*one);
    }
    child.set_parent(nullptr);
    child.set_ref_count(0);
    task::destroy(child);
    return nullptr;
  });
}

TEST_CASE("additional children extend a wait") {
  with_threads(3, [] {
    std::atomic<int> ran{0};
    struct spreading : task {
      std::atomic<int>& ran;
      task& root;
      int left;
      spreading(std::atomic<int>& r, task& t, int n) : ran(r), root(t), left(n) {}
      task* execute() override {
        ++ran;
        for (int i = 0; i < left; ++i) {
          spawn(*new (allocate_additional_child_of(root)) spreading(ran, root, left - 1));
        }
        return nullptr;
      }
    };
    for (int round = 0; round < 100; ++round) {
      ran = 0;
      tbb::empty_task& root = *new (task::allocate_root()) tbb::empty_task;
      root.set_ref_count(2);
      root.spawn_and_wait_for_all(*new (root.allocate_child()) spreading(ran, root, 5));
      task::destroy(root);
      REQUIRE(ran == 326);  // 5! (1/0! + 1/1! + … + 1/5!)
    }
  });
}

TEST_CASE("another thread's decrement ends a wait") {
  with_threads(2, [] {
    for (int round = 0; round < 20; ++round) {
      tbb::empty_task& t = *new (task::allocate_root()) tbb::empty_task;
      t.set_ref_count(2);
      std::thread other([&] {
        if (round % 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        t.decrement_ref_count();
      });
      t.wait_for_all();
      CHECK(t.ref_count() == 0);
      other.join();
      task::destroy(t);
    }
  });
}

TEST_CASE("several threads may wait for one task whose group allows it") {
  tbb::task_group_context group(tbb::task_group_context::bound, tbb::task_group_context::concurrent_wait);
  tbb::empty_task& t = *new (task::allocate_root(group)) tbb::empty_task;
  t.set_ref_count(2);
  std::atomic<int> waiting{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ++waiting;
      t.wait_for_all();
    });
  }
  while (waiting < 4) std::this_thread::yield();
  task::spawn(*new (t.allocate_child()) tbb::empty_task);
  t.wait_for_all();
  for (auto& thread : threads) thread.join();
  CHECK(t.ref_count() == 1);
  task::destroy(t);
}

TEST_CASE("enqueued tasks run without a wait, first in first out") {
  with_threads(2, [] {
    std::string log;
    std::atomic<int> ran{0};
    for (char name : {'a', 'b', 'c', 'd'}) {
      auto& t = *new (task::allocate_root()) calling([&, name](calling& self) -> task* {
        CHECK(self.is_enqueued_task());
        CHECK_FALSE(self.is_stolen_task());
        log += name;
        ++ran;
        return nullptr;
      });
      task::enqueue(t);
    }
    while (ran < 4) std::this_thread::yield();
    CHECK(log == "abcd");
    for (tbb::priority_t priority : {tbb::priority_low, tbb::priority_normal, tbb::priority_high}) {
      auto& t = *new (task::allocate_root()) calling([&](calling&) -> task* { return ++ran, nullptr; });
      task::enqueue(t, priority);
    }
    while (ran < 7) std::this_thread::yield();
  });
  CHECK(test::eventually([] { return alive == 0; }));  // the worker destroys a task after it has run
}
