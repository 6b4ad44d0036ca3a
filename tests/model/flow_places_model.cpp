// SPDX-License-Identifier: Apache-2.0
// The places of a node and the messages that wait for one: no more bodies run than there are places, each sees what the
// one before has done, and every message is handled, whoever puts and leaves at the same time. places.h is the real
// one; the queue, the batch that a serial node takes out of it and the bodies are plain variables, so that a race on
// them is found. What a serial node's body puts into the node itself keeps its order among the others' messages, though
// it takes no lock.
#include <scenes.h>

#include <ashlar/flow/work/places.h>

using namespace ashlar;

namespace {

// Messages, first in, first out.
struct line {
  void push(int message) {
    messages[size.get()].set(message);
    size.set(size.get() + 1);
  }
  int pop() {
    int const oldest = messages[0].get();
    size.set(size.get() - 1);
    for (int i = 0; i < size.get(); ++i) messages[i].set(messages[i + 1].get());
    return oldest;
  }
  model::var<int> size;
  model::var<int> messages[4];
};

struct node {
  explicit node(std::uint32_t limit, bool rejecting = false) : free(limit), rejects(rejecting) {
    model::label(free, "places");
  }

  // False: refused.
  bool put(int message = 1) {
    if (!free.enter()) {
      flow::places::hold held(free);
      if (!held.has_room()) {
        if (rejects) return false;
        queue.push(message);
        held.add_waiting();
        return true;
      }
      held.take();
    }
    run(message);
    return true;
  }
  // By the body of a message, which holds the only place.
  void put_in_body(int message) {
    if (free.has_none_waiting()) {
      batch.push(message);
    } else {
      put(message);
    }
  }
  // A predecessor comes with a message that is to be pulled.
  void offer() {
    offers.fetch_add(1, mo::relaxed);
    {
      flow::places::hold held(free);
      held.set_may_pull(true);
      if (!held.has_room()) return;
      held.take();
    }
    if (int const message = next()) run(message);
  }
  void run(int message) {
    do body(message);
    while ((has_batch() || !free.leave()) && (message = next()) != 0);
  }
  // The caller has a place, and gives it back if there is nothing for it: 0.
  int next() {
    for (;;) {
      if (has_batch()) return batch.pop();
      {
        flow::places::hold held(free);
        if (takes_batches() && held.has_several_waiting()) {
          while (queue.size.get() != 0) batch.push(queue.pop());
          held.forget_waiting();
          continue;
        }
        if (held.has_waiting()) {
          held.remove_waiting();
          return queue.pop();
        }
        if (held.may_pull()) held.set_may_pull(offers.load(mo::relaxed) != 0);
        if (!held.may_pull()) {
          held.give_back();
          return 0;
        }
      }
      int n = offers.load(mo::relaxed);
      while (n != 0 && !offers.compare_exchange(n, n - 1, mo::relaxed, mo::relaxed)) {
      }
      if (n != 0) return 1;
    }
  }
  bool takes_batches() const { return free.limit == 1 && !rejects; }
  bool has_batch() { return takes_batches() && batch.size.get() != 0; }
  virtual void body(int) {
    int const inside = running.fetch_add(1, mo::relaxed) + 1;
    model::require(inside <= static_cast<int>(free.limit), "no more bodies than places");
    if (free.limit == 1) done.set(done.get() + 1);
    handled.fetch_add(1, mo::relaxed);
    running.fetch_sub(1, mo::relaxed);
  }
  void over(int messages) {
    model::require(handled.load(mo::relaxed) == messages, "every message is handled");
    model::require(free.taken() == 0 && free.waiting() == 0 && queue.size.get() == 0 && batch.size.get() == 0,
                   "the node is idle");
    model::require(free.enter() && free.leave(), "and may be entered");
  }

  flow::places free;
  bool const rejects;
  line queue, batch;
  model::var<int> done;
  atomic<int> offers{0}, running{0}, handled{0};
};

void two_puts() {
  node n(1);
  model::thread a("puts", [&] { n.put(); });
  n.put();
  a.join();
  n.over(2);
}

void three_puts(unsigned places) {
  node n(places);
  model::thread a("puts 1", [&] { n.put(); });
  model::thread b("puts 2", [&] { n.put(); });
  n.put();
  a.join();
  b.join();
  n.over(3);
}

void one_puts_twice() {
  node n(1);
  model::thread a("puts twice", [&] {
    n.put();
    n.put();
  });
  n.put();
  a.join();
  n.over(3);
}

// Two wait while the first body runs, so that the next one takes a batch.
void one_puts_three_times() {
  node n(1);
  model::thread a("puts three times", [&] {
    n.put();
    n.put();
    n.put();
  });
  n.put();
  a.join();
  n.over(4);
}

// What is refused comes again as a predecessor's.
void pulled() {
  node n(1, true);
  model::thread a("puts", [&] {
    if (!n.put()) n.offer();
  });
  if (!n.put()) n.offer();
  a.join();
  n.over(2);
}

void two_predecessors() {
  node n(1, true);
  model::thread a("offers", [&] { n.offer(); });
  n.offer();
  a.join();
  n.over(2);
}

// The body of message 1 puts message 3 into its node. Message 2 comes from another thread, and so does 4 after it: 3 is
// behind 2 if 2 was there before it, and before 4 if 4 came later.
struct fed : node {
  fed() : node(1) {}
  void body(int message) override {
    node::body(message);
    if (message == 1) {
      bool const two_came = came.load(mo::acquire) != 0;
      after_two.set(two_came ? 1 : 0);
      put_in_body(3);
      put_one.store(1, mo::release);
    }
    if (message == 3 && after_two.get() != 0) model::require(seen[2].get() != 0, "what was there before comes first");
    if (message == 4 && after_three.get() != 0) model::require(seen[3].get() != 0, "what came later comes last");
    seen[message].set(1);
  }
  atomic<int> came{0}, put_one{0};
  model::var<int> after_two, after_three;
  model::var<int> seen[5];
};

void own_put() {
  fed n;
  model::thread a("puts twice", [&] {
    n.put(2);
    n.came.store(1, mo::release);
    if (n.put_one.load(mo::acquire) == 0) return;
    n.after_three.set(1);
    n.put(4);
  });
  n.put(1);
  a.join();
  n.over(n.after_three.get() != 0 ? 4 : 3);
}

model::scene const scenes[] = {{"two puts", two_puts, 3},
                               {"three puts", [] { three_puts(1); }, 3},
                               {"one puts twice", one_puts_twice, 3},
                               {"one puts three times", one_puts_three_times, 3},
                               {"two places", [] { three_puts(2); }, 2},
                               {"pulled", pulled, 4},
                               {"two predecessors", two_predecessors, 3},
                               {"own put", own_put, 3}};

}  // namespace

TEST_CASE("each message is handled, by as many bodies as there are places") {
  model::check_all(scenes, model::trimmed());
}

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"include/ashlar/flow/work/places.h"}, {}, model::trimmed());
}
