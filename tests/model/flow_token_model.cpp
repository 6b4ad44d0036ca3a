// SPDX-License-Identifier: Apache-2.0
// The joint token of messages with different tokens: both waits end after all messages that hold it, see what these
// have done, and the token goes with its last use; a node that forgets one of both tokens gives that back alone.
// message.h, message.cpp and the counters are the real ones.
#include <scenes.h>

#include <parking_lot.h>
#include "flow/engine/message.cpp"
#include "sched/queue/deque.cpp"
#include "sched/tasks/task_group.cpp"

#include <parked_slot.h>

namespace ashlar {
inline namespace v1 {

bool exceptions_end_process() noexcept { return false; }

namespace sched {

__thread slot* current_slot = nullptr;
slot& attach_thread() { __builtin_unreachable(); }
void wake_waiters(void const* address) noexcept { model::the_lot->wake_address(address); }

}  // namespace sched
}  // namespace v1
}  // namespace ashlar

using namespace ashlar;
using flow::wait_token;

namespace {

// The main thread waits for two messages, whose tokens a join has made one of.
struct scene {
  scene() {
    model::own(sched::current_slot);
    model::the_lot = &lot;
    model::any_slot = &slots[0];
    model::label(lot, "lot");
    model::label(sched::foreign_group_waiters, "foreign_group_waiters");
    sit(0);
    a = new wait_token(slots[0]);
    b = new wait_token(slots[0]);
    model::label(*a, "a");
    model::label(*b, "b");
    a->retain();
    b->retain();
    joint = wait_token::join(a, b);
    model::label(*joint, "joint");
  }
  void sit(int i) { sched::current_slot = &slots[i]; }
  void end_message(int i) {
    results[i].set(1);
    joint->release();
  }
  void wait_for(wait_token* t, int messages) {
    t->uses().wait(slots[0]);
    for (int i = 0; i < messages; ++i) model::require(results[i].get() == 1, "the wait is over before a message");
    delete t;
  }

  model::parking_lot lot;
  sched::slot slots[3];
  wait_token *a, *b, *joint;
  model::var<int> results[2];
};

// Two successors have the join's message.
void two_uses() {
  scene s;
  s.joint->retain();
  model::thread other("ends a message", [&] {
    s.sit(1);
    s.end_message(0);
  });
  s.end_message(1);
  s.wait_for(s.a, 2);
  s.wait_for(s.b, 2);
  other.join();
}

void both_elsewhere() {
  scene s;
  s.joint->retain();
  model::thread one("ends a message", [&] {
    s.sit(1);
    s.end_message(0);
  });
  model::thread other("ends the other one", [&] {
    s.sit(2);
    s.end_message(1);
  });
  s.wait_for(s.a, 2);
  s.wait_for(s.b, 2);
  one.join();
  other.join();
}

// A message is copied on its way.
void retained_meanwhile() {
  scene s;
  s.joint->retain();
  model::thread other("copies a message and ends both", [&] {
    s.sit(1);
    s.joint->retain();
    s.joint->release();
    s.end_message(0);
  });
  s.end_message(1);
  s.wait_for(s.a, 2);
  s.wait_for(s.b, 2);
  other.join();
}

// A node that keeps one message forgets the token of one wait, while the other message ends: both are over for that
// wait, or the node can't take it out.
void forgotten(bool the_first) {
  scene s;
  s.joint->retain();
  model::thread other("ends a message", [&] {
    s.sit(1);
    s.end_message(0);
  });
  wait_token* const left = wait_token::without(s.joint, the_first ? s.a : s.b);
  if (left != s.joint) s.wait_for(the_first ? s.a : s.b, 1);
  left->release();
  if (left == s.joint) s.wait_for(the_first ? s.a : s.b, 1);
  s.wait_for(the_first ? s.b : s.a, 1);
  other.join();
}

model::scene const scenes[] = {{"two uses", two_uses, 3},
                               {"both elsewhere", both_elsewhere, 2},
                               {"retained meanwhile", retained_meanwhile, 2},
                               {"the first forgotten", [] { forgotten(true); }, 3},
                               {"the second forgotten", [] { forgotten(false); }, 3}};

}  // namespace

TEST_CASE("waits for the messages of a join end after all of them") { model::check_all(scenes, {}, 2); }

TEST_CASE("each order is needed") { model::check_each_order(scenes, {"src/flow/engine/message.cpp"}); }
