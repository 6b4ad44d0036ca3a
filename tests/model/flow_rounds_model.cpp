// SPDX-License-Identifier: Apache-2.0
// The messages of a continue_node: as many rounds are fired as are complete, by whoever brings the last message, who
// sees what all senders of the round did; also where edges come and go meanwhile. A message that somebody waits for is
// one of the round that gets its token. rounds.h is the real one.
#include <scenes.h>

#include <ashlar/flow/edges/rounds.h>

using namespace ashlar;

namespace {

using turn = flow::rounds::turn;

// As continue_input does it.
struct node {
  explicit node(int expected) : in(expected) { model::label(in, "rounds"); }
  void put() {
    if (in.arrive() != turn::counted) fired.fetch_add(1, mo::relaxed);
  }
  void over(int rounds, int missing) {
    model::require(fired.load(mo::relaxed) == rounds, "each complete round is fired once");
    model::require(in.missing() == missing, "what is missing is counted");
  }

  flow::rounds in;
  atomic<int> fired{0};
};

void two_senders() {
  node n(2);
  model::thread a("puts twice", [&] { n.put(), n.put(); });
  n.put();
  n.put();
  a.join();
  n.over(2, 2);
}

void three_senders() {
  node n(2);
  model::thread a("puts 1", [&] { n.put(); });
  model::thread b("puts 2", [&] { n.put(); });
  n.put();
  a.join();
  b.join();
  n.over(1, 1);
}

// The body sees what every sender did before it sent.
void results() {
  flow::rounds in(3);
  model::label(in, "rounds");
  model::var<int> made[3];
  auto const send = [&](int i) {
    made[i].set(1);
    if (in.arrive() == turn::counted) return;
    for (auto const& m : made) model::require(m.get() == 1, "a result is seen");
  };
  model::thread a("sends 1", [&] { send(1); });
  model::thread b("sends 2", [&] { send(2); });
  send(0);
  a.join();
  b.join();
}

// A third predecessor comes, and sends.
void edge_comes() {
  node n(2);
  model::thread a("comes", [&] {
    n.in.expect_one_more();
    n.put();
  });
  n.put();
  n.put();
  a.join();
  n.over(1, n.in.missing());
  model::require(n.in.expected() == 3, "three are expected");
  // The third message counts in the first round, or in the next one.
  model::require(n.in.missing() == 3 || n.in.missing() == 2, "no message is lost");
}

// One of three goes, in a round in which the others have sent, or half of them.
void edge_goes() {
  node n(3);
  model::thread a("goes", [&] { n.in.expect_one_less(); });
  n.put();
  n.put();
  a.join();
  model::require(n.in.expected() == 2, "two are expected");
  int const rounds = n.fired.load(mo::relaxed);
  // A round that is complete without it isn't made up for: the next message completes it.
  int const needed = rounds == 0 ? 1 : 2;
  model::require(n.in.missing() == needed && rounds <= 1, "the round is complete with the next message, or begins");
  for (int i = 0; i < needed; ++i) n.put();
  n.over(rounds + 1, 2);
}

// With the token of a message that is waited for, as continue_input has it.
struct held_node : node {
  explicit held_node(int expected) : node(expected) { model::label(locked, "lock"); }
  void lock() {
    for (bool free = false; !locked.compare_exchange(free, true, mo::acquire, mo::relaxed); free = false) cpu_pause();
  }
  void unlock() { locked.store(false, mo::release); }
  // The lock is held.
  void count() {
    if (!in.arrive_exactly()) return;
    fired.fetch_add(1, mo::relaxed);
    if (!has_token) return;
    model::require(is_counted, "the round with the token is the message's");
    has_token = false;
  }
  void put_waited_for() {
    lock();
    has_token = true;
    special.store(true, mo::relaxed);
    in.hold();
    is_counted = true;
    count();
    unlock();
  }
  void put() {
    switch (in.arrive()) {
      case turn::counted:
        return;
      case turn::last:
        fired.fetch_add(1, mo::relaxed);
        return;
      case turn::alone:
        break;
    }
    model::require(special.load(mo::relaxed), "who finds the round held knows that it may be");
    lock();
    count();
    unlock();
  }

  atomic<bool> locked{false}, special{false};
  bool has_token = false, is_counted = false;  // under the lock
};

void held_round() {
  held_node n(2);
  model::thread a("is waited for", [&] { n.put_waited_for(); });
  n.put();
  n.put();
  n.put();
  a.join();
  n.over(2, 2);
  model::require(!n.has_token, "the token is given back");
}

void held_round_of_three() {
  held_node n(2);
  model::thread a("is waited for", [&] { n.put_waited_for(); });
  model::thread b("puts", [&] { n.put(); });
  n.put();
  a.join();
  b.join();
  n.over(1, 1);
  model::require(n.in.expected() == 2, "what is expected stays");
}

// A round that is complete without the edge is complete with the next message, unless an edge comes before.
void edge_at_a_held_round() {
  held_node n(3);
  n.put_waited_for();
  model::thread a("goes, and comes", [&] {
    n.in.expect_one_less();
    n.in.expect_one_more();
  });
  n.put();
  a.join();
  model::require(n.in.expected() == 3, "three are expected");
  for (int i = 0; i < 3 && n.fired.load(mo::relaxed) == 0; ++i) n.put();
  model::require(n.fired.load(mo::relaxed) == 1 && !n.has_token, "the round fires once");
}

model::scene const scenes[] = {{"two senders", two_senders},
                               {"three senders", three_senders},
                               {"results", results},
                               {"an edge comes", edge_comes},
                               {"an edge goes", edge_goes},
                               {"a held round", held_round},
                               {"a held round of three", held_round_of_three},
                               {"an edge at a held round", edge_at_a_held_round}};

}  // namespace

TEST_CASE("each round fires once") { model::check_all(scenes, {}, 2); }

TEST_CASE("each order is needed") { model::check_each_order(scenes, {"include/ashlar/flow/edges/rounds.h"}, {}); }
