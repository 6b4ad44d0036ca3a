// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for tasks: a successor starts once, after all its predecessors and with what they did; the task of a
// dropped handle never starts and is destroyed once; a continuation goes on once; a wait for one task ends after it,
// and always; a completion that was given away comes with the task that received it. completion.h, completion.cpp and
// the parking lot are the real ones.
#include <doctest/doctest.h>

#include <scenes.h>

#include <parking_lot.h>
#include "sched/queue/deque.cpp"
#include "sched/tasks/completion.cpp"
#include "sched/tasks/task_group.cpp"

#include <parked_slot.h>

using namespace ashlar;
using sched::completion;
using sched::deferred_job;

namespace {

// A task of the scene: it is not run, but whoever may run it says so, and frees it.
struct task : deferred_job {
  task(sched::group_counter& c, sched::context& g, sched::slot& s) : deferred_job(nullptr, nullptr, c, g, s) {}

  model::var<int>* needs[2] = {};  // results of predecessors, which must be there when the task starts
  completion* watched = nullptr;   // must be over then
  model::var<int>* starts = nullptr;
  model::var<int>* drops = nullptr;
};

void start(deferred_job& j) {
  auto& t = static_cast<task&>(j);
  for (model::var<int>* const result : t.needs) {
    if (result != nullptr) model::require(result->get() == 1, "a task starts without what its predecessor did");
  }
  if (t.watched != nullptr) model::require(t.watched->status() != completion::pending, "the predecessor isn't over");
  t.starts->set(t.starts->get() + 1);
  delete &t;
}

}  // namespace

namespace ashlar::inline v1::sched {

void wake_waiters(void const* address) noexcept { model::the_lot->wake_address(address); }

job* deferred_job::run_it(job*, slot&) noexcept { return nullptr; }
void deferred_job::destroy() noexcept {
  auto& t = static_cast<task&>(*this);
  t.drops->set(t.drops->get() + 1);
  delete &t;
}
void start_deferred(slot&, deferred_job& j) noexcept { start(j); }

}  // namespace ashlar::inline v1::sched

namespace {

struct stage {
  static constexpr int most = 3;

  model::parking_lot lot;
  sched::slot here;
  sched::context group{nullptr, nullptr};
  sched::group_counter counter{here};
  model::var<int> results[most], starts[most], drops[most];
  task* tasks[most];

  explicit stage(int n) {
    model::the_lot = &lot;
    model::any_slot = &here;
    model::label(lot, "lot");
    for (int i = 0; i < n; ++i) {
      tasks[i] = new task(counter, group, here);
      tasks[i]->starts = &starts[i];
      tasks[i]->drops = &drops[i];
      model::label(*tasks[i], "task");
    }
  }
  // The task is run by the calling thread: deferred_job.cpp, run_it and end().
  void run(int i) {
    results[i].set(1);
    completion* const node = tasks[i]->node.load(mo::relaxed);
    delete tasks[i];
    if (node != nullptr) {
      if (deferred_job* const next = completion::complete(node, here, completion::completed)) start(*next);
    }
  }
  // The handle of a task is passed to run().
  void release(int i) {
    if (tasks[i]->release_handle()) start(*tasks[i]);
  }
  void need(int i, int starts_wanted, int drops_wanted) {
    model::require(starts[i].get() == starts_wanted, "started as often as it should");
    model::require(drops[i].get() == drops_wanted, "destroyed as often as it should");
  }
};

// The predecessor runs while the successor is ordered behind it and run.
void order_while_running() {
  stage s(2);
  completion& node = s.tasks[0]->shared_node();
  node.retain();
  s.tasks[1]->needs[0] = &s.results[0];
  s.tasks[1]->watched = &node;
  model::thread runner("runner", [&] { s.run(0); });
  node.precede(*s.tasks[1]);
  s.release(1);
  runner.join();
  s.need(1, 1, 0);
  node.release();
}

// Two predecessors end while the handle of their successor is passed to run().
void two_predecessors() {
  stage s(3);
  s.tasks[0]->shared_node().precede(*s.tasks[2]);
  s.tasks[1]->shared_node().precede(*s.tasks[2]);
  s.tasks[2]->needs[0] = &s.results[0];
  s.tasks[2]->needs[1] = &s.results[1];
  model::thread first("first", [&] { s.run(0); });
  model::thread second("second", [&] { s.run(1); });
  s.release(2);
  first.join();
  second.join();
  s.need(2, 1, 0);
}

// Two successors are hung in at the same time, while the predecessor ends.
void two_successors() {
  stage s(3);
  completion& node = s.tasks[0]->shared_node();
  node.retain();
  for (int i : {1, 2}) s.tasks[i]->needs[0] = &s.results[0];
  model::thread runner("runner", [&] { s.run(0); });
  model::thread other("other", [&] {
    node.precede(*s.tasks[1]);
    s.release(1);
  });
  node.precede(*s.tasks[2]);
  s.release(2);
  runner.join();
  other.join();
  s.need(1, 1, 0);
  s.need(2, 1, 0);
  node.release();
}

// The handle is dropped while the predecessor ends.
void dropped() {
  stage s(2);
  s.tasks[0]->shared_node().precede(*s.tasks[1]);
  model::thread runner("runner", [&] { s.run(0); });
  s.tasks[1]->abandon();
  runner.join();
  s.need(1, 0, 1);
}

// A thread waits for the task, and lets go of the completion.
void waiter() {
  stage s(1);
  completion& node = s.tasks[0]->shared_node();
  node.retain();
  model::thread runner("runner", [&] { s.run(0); });
  node.wait(s.here);
  model::require(s.results[0].get() == 1, "the wait ends before the task");
  node.release();
  runner.join();
}

// Two threads ask for the node at once; one waits for it while the task runs.
void asked_twice() {
  stage s(1);
  completion* asked = nullptr;
  model::thread asker("asker", [&] {
    asked = &s.tasks[0]->shared_node();
    asked->retain();
  });
  completion& node = s.tasks[0]->shared_node();
  node.retain();
  asker.join();
  model::require(asked == &node, "a task has one node");
  asked->release();
  model::thread runner("runner", [&] { s.run(0); });
  node.wait(s.here);
  node.release();
  runner.join();
}

// A running task gives its completion, for which another task and a thread wait, to one whose node is asked for at the
// same time.
void given_away() {
  stage s(3);
  completion& node = s.tasks[0]->shared_node();
  node.retain();
  s.tasks[2]->needs[0] = &s.results[1];
  node.precede(*s.tasks[2]);
  s.release(2);
  model::thread runner("runner", [&] {
    s.results[0].set(1);
    s.tasks[0]->give_completion(*s.tasks[1]);
    s.run(0);
    s.run(1);
  });
  node.wait(s.here);
  model::require(s.results[1].get() == 1, "the wait ends before the task that received the completion");
  node.release();
  runner.join();
  s.need(2, 1, 0);
}

// The receiver has a node of its own by then, which another thread hangs a successor into.
void given_to_a_node() {
  stage s(3);
  completion& mine = s.tasks[0]->shared_node();
  mine.retain();
  completion& theirs = s.tasks[1]->shared_node();
  theirs.retain();
  s.tasks[2]->needs[0] = &s.results[1];
  model::thread runner("runner", [&] {
    s.tasks[0]->give_completion(*s.tasks[1]);
    s.run(0);
    s.run(1);
  });
  mine.precede(*s.tasks[2]);
  s.release(2);
  runner.join();
  model::require(mine.status() == completion::completed && theirs.status() == completion::completed, "both are over");
  s.need(2, 1, 0);
  mine.release();
  theirs.release();
}

// What goes on after the task, on the thread that ended it, unless it was over before.
struct follower : sched::continuation {
  follower(stage& s) : continuation(&go_on, s.here, nullptr), in(s) {}
  static sched::job* go_on(sched::job* self, sched::slot&) noexcept {
    auto& f = *static_cast<follower*>(self);
    model::require(f.in.results[0].get() == 1, "it goes on without what the task did");
    f.times.set(f.times.get() + 1);
    return nullptr;
  }
  stage& in;
  model::var<int> times;
};

void continued() {
  stage s(1);
  completion& node = s.tasks[0]->shared_node();
  node.retain();
  follower f(s);
  model::thread runner("runner", [&] { s.run(0); });
  bool const waits = node.precede(f);
  if (!waits) f.run(&f, s.here);
  runner.join();
  model::require(f.times.get() == 1, "it goes on once");
  node.release();
}

model::scene const scenes[] = {{"order while running", order_while_running},
                               {"two predecessors", two_predecessors},
                               {"two successors", two_successors, 3},
                               {"dropped", dropped},
                               {"waiter", waiter},
                               {"asked twice", asked_twice},
                               {"given away", given_away},
                               {"given to a node", given_to_a_node},
                               {"continued", continued}};

}  // namespace

TEST_CASE("successors start once, after their predecessors, and waits end") { model::check_all(scenes, {}, 2); }

TEST_CASE("each order is needed") {
  model::options how;
  how.preemptions = 3;
  for (char const* file : {"include/ashlar/sched/tasks/completion.h", "include/ashlar/sched/park/latch.h",
                           "src/sched/tasks/completion.cpp"}) {
    model::check_each_order(scenes, {file}, {}, how);
  }
}
