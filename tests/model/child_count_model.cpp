// SPDX-License-Identifier: Apache-2.0
// The join of a classic task's children, whose last one counts itself down without a locked instruction: the
// continuation runs once, after all children, though one of them may be taken back or stolen while the other ends.
// child_count.h and the deque are the real ones; the caller is as short as classic_task.cpp allows.
#include <doctest/doctest.h>

#include <engine/model.h>

#include "sched/queue/deque.cpp"
#include "sched/tasks/child_count.h"

using namespace ashlar;

namespace {

struct numbered : sched::job {
  model::var<int> result{0};
};

enum class variant { right, never_locked, never_counted };

struct scene {
  sched::deque queue{2};
  numbered jobs[2];
  atomic<std::int64_t> count;
  model::var<int> sum{0};
  bool waits;  // the owner waits for the children itself

  scene(int children, bool waiting) : count(children + (waiting ? 1 : 0)), waits(waiting) {
    model::label(queue, "deque");
    model::label(count, "count");
    queue.make_room(0);
    for (int i = 0; i + 1 < children; ++i) queue.push(&jobs[i], sched::job_key{0});
  }

  void parent_runs() {
    int total = 0;
    for (numbered& job : jobs) total += job.result.get();
    sum.set(sum.get() + total);
  }
  void end(bool own, variant v) {
    if (v == variant::never_counted) return;
    std::int64_t left;
    if (v == variant::never_locked) {
      left = count.load(mo::acquire) - 1;
      count.store(left, mo::release);
    } else {
      left = sched::end_of_child(count, own && waits);
    }
    if (left == 0) parent_runs();
  }
  void steal(variant v) {
    sched::job* what = nullptr;
    sched::job_key key = 0;
    if (queue.steal(what, key, [](auto...) { return true; }) != sched::deque::outcome::taken) return;
    static_cast<numbered*>(what)->result.set(1);
    end(false, v);
  }
  // The child that isn't in the deque, then what is taken back.
  void own_part(variant v) {
    jobs[1].result.set(1);
    end(true, v);
    while (sched::job* const what = queue.pop()) {
      static_cast<numbered*>(what)->result.set(1);
      end(true, v);
    }
  }
  void check() {
    if (waits) {
      while (count.load(mo::acquire) > 1) cpu_pause();  // [K2]
      parent_runs();
    }
  }
};

void family(bool waiting, variant v) {
  scene s(2, waiting);
  model::thread thief("thief", [&s, v] { s.steal(v); });
  s.own_part(v);
  if (waiting) s.check();
  thief.join();
  model::require(s.sum.get() == 2, "the parent runs once, after both children");
}

model::result check(bool waiting, variant v, model::options how = {}) {
  return model::check(how, [=] { family(waiting, v); });
}

}  // namespace

TEST_CASE("a continuation runs once, after both children") {
  model::result const r = check(false, variant::right);
  INFO(r.report);
  CHECK(!r.failed);
  CHECK(r.complete);
}

TEST_CASE("a wait ends after both children") {
  model::result const r = check(true, variant::right);
  INFO(r.report);
  CHECK(!r.failed);
  CHECK(r.complete);
}

TEST_CASE("without a locked instruction where two children are left a decrement is lost") {
  CHECK(check(false, variant::never_locked).failed);
  CHECK(check(true, variant::never_locked).failed);
}

TEST_CASE("an end that is never counted leaves the parent waiting") {
  CHECK(check(false, variant::never_counted).failed);
  CHECK(check(true, variant::never_counted).failed);
}

TEST_CASE("the orders are needed") {
  for (char const* tag : {"K1", "K4"}) {
    model::options how;
    how.weaken = model::tagged("src/sched/tasks/child_count.h", tag);
    INFO(tag);
    CHECK((check(false, variant::right, how).failed || check(true, variant::right, how).failed));
  }
}
