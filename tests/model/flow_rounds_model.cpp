// SPDX-License-Identifier: Apache-2.0
// The messages of a continue_node: as many rounds are fired as are complete, by whoever brings the last message, who
// sees what all senders of the round did; also where edges come and go meanwhile. rounds.h is the real one.
#include <scenes.h>

#include <ashlar/flow/rounds.h>

using namespace ashlar;

namespace {

// As continue_input does it.
struct node {
  explicit node(int expected) : in(expected) { model::label(in, "rounds"); }
  void put() {
    if (in.arrive()) fired.fetch_add(1, mo::relaxed);
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
    if (!in.arrive()) return;
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
  // A round that is complete without it isn't made up for.
  model::require(n.in.missing() == 2 && rounds <= 1, "the next round begins");
  n.put();
  n.put();
  n.over(rounds + 1, 2);
}

model::scene const scenes[] = {{"two senders", two_senders},
                               {"three senders", three_senders},
                               {"results", results},
                               {"an edge comes", edge_comes},
                               {"an edge goes", edge_goes}};

}  // namespace

TEST_CASE("each round fires once") { model::check_all(scenes, {}, 2); }

TEST_CASE("each order is needed") { model::check_each_order(scenes, {"include/ashlar/flow/rounds.h"}, {}); }
