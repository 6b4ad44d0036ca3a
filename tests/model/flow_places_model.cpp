// SPDX-License-Identifier: Apache-2.0
// The places of a node and the messages that wait for one: no more bodies run than there are places, each sees what the
// one before has done, and every message is handled, whoever puts and leaves at the same time. places.h is the real
// one; the queue, the batch that a serial node takes out of it and the bodies are counted by plain variables, so that a
// race on them is found.
#include <scenes.h>

#include <ashlar/flow/places.h>

using namespace ashlar;

namespace {

struct node {
  explicit node(std::uint32_t limit, bool rejecting = false) : free(limit), rejects(rejecting) {
    model::label(free, "places");
  }

  // False: refused.
  bool put() {
    if (!free.enter()) {
      flow::places::hold held(free);
      if (!held.has_room()) {
        if (rejects) return false;
        queue.set(queue.get() + 1);
        held.add_waiting();
        return true;
      }
      held.take();
    }
    run();
    return true;
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
    if (next()) run();
  }
  void run() {
    do body();
    while ((has_batch() || !free.leave()) && next());
  }
  // The caller has a place, and gives it back if there is nothing for it.
  bool next() {
    for (;;) {
      if (has_batch()) {
        batch.set(batch.get() - 1);
        return true;
      }
      {
        flow::places::hold held(free);
        if (takes_batches() && held.has_several_waiting()) {
          batch.set(queue.get());
          queue.set(0);
          held.forget_waiting();
          continue;
        }
        if (held.has_waiting()) {
          queue.set(queue.get() - 1);
          held.remove_waiting();
          return true;
        }
        if (held.may_pull()) held.set_may_pull(offers.load(mo::relaxed) != 0);
        if (!held.may_pull()) {
          held.give_back();
          return false;
        }
      }
      int n = offers.load(mo::relaxed);
      while (n != 0 && !offers.compare_exchange(n, n - 1, mo::relaxed, mo::relaxed)) {
      }
      if (n != 0) return true;
    }
  }
  bool takes_batches() const { return free.limit() == 1 && !rejects; }
  bool has_batch() { return takes_batches() && batch.get() != 0; }
  void body() {
    int const inside = running.fetch_add(1, mo::relaxed) + 1;
    model::require(inside <= static_cast<int>(free.limit()), "no more bodies than places");
    if (free.limit() == 1) done.set(done.get() + 1);
    handled.fetch_add(1, mo::relaxed);
    running.fetch_sub(1, mo::relaxed);
  }
  void over(int messages) {
    model::require(handled.load(mo::relaxed) == messages, "every message is handled");
    model::require(free.taken() == 0 && free.waiting() == 0 && queue.get() == 0 && batch.get() == 0,
                   "the node is idle");
    model::require(free.enter() && free.leave(), "and may be entered");
  }

  flow::places free;
  bool const rejects;
  model::var<int> queue, batch, done;
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

model::scene const scenes[] = {{"two puts", two_puts, 3},
                               {"three puts", [] { three_puts(1); }, 3},
                               {"one puts twice", one_puts_twice, 3},
                               {"one puts three times", one_puts_three_times, 3},
                               {"two places", [] { three_puts(2); }, 2},
                               {"pulled", pulled, 4},
                               {"two predecessors", two_predecessors, 3}};

}  // namespace

TEST_CASE("each message is handled, by as many bodies as there are places") {
  model::check_all(scenes, model::trimmed());
}

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"include/ashlar/flow/places.h"}, {}, model::trimmed());
}
