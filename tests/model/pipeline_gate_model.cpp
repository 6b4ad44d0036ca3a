// SPDX-License-Identifier: Apache-2.0
// The entrance of a serial stage and the tokens that a pipeline may have: one token at a time is inside, an ordered
// gate lets them in by number, each comes through once with what it carries, and the input stage has one thread at a
// time and no more tokens than were allowed. Who asks for a lease of the whole pipeline has the right to the input, and
// the gates that the holder's token has passed, or is heard.
#include <scenes.h>

#include "algo/pipeline_gate.h"
#include "algo/pipeline_lease.h"
#include "algo/pipeline_permits.h"

#include <memory>

using namespace ashlar;

namespace {

constexpr int most_tokens = 4;

struct content {
  model::var<int> before{0};
  model::var<int> after{0};
};

// Threads that bring tokens to one stage and carry on with those that enter in their tokens' place, as pipeline.cpp
// does.
struct gate_scene {
  algo::gate gate;
  algo::token tokens[most_tokens];
  content contents[most_tokens];
  model::var<int> inside{-1};
  model::var<int> passed{0};
  bool ordered;

  explicit gate_scene(bool in_order) : ordered(in_order) {
    gate.set(in_order ? algo::gate::ordered : algo::gate::unordered, false, most_tokens);
    model::label(gate, "gate");
    for (int i = 0; i < most_tokens; ++i) tokens[i].number = static_cast<std::uint64_t>(i);
  }

  void bring(int i) {
    contents[i].before.set(10 * i);
    if (!gate.enter(tokens[i])) return;
    for (algo::token* t = &tokens[i]; t != nullptr;) {
      int const n = static_cast<int>(t->number);
      model::require(contents[n].before.get() == 10 * n, "a token comes with what it carries");
      int const turn = passed.get();
      model::require(!ordered || turn == n, "tokens enter in the order of their numbers");
      inside.set(n);
      contents[n].after.set(contents[n].after.get() + 1);
      passed.set(turn + 1);
      t = gate.leave(t->number);
    }
  }
  void all_passed(int n) {
    model::require(passed.get() == n, "all tokens are through");
    for (int i = 0; i < n; ++i) model::require(contents[i].after.get() == 1, "a token is through once");
    model::require(gate.left_behind() == nullptr, "nobody waits");
  }
};

template <bool Ordered>
void two_tokens() {
  gate_scene s(Ordered);
  model::thread a("brings 1", [&] { s.bring(1); });
  s.bring(0);
  a.join();
  s.all_passed(2);
}
template <bool Ordered>
void three_tokens() {
  gate_scene s(Ordered);
  model::thread a("brings 1", [&] { s.bring(1); });
  model::thread b("brings 2", [&] { s.bring(2); });
  s.bring(0);
  a.join();
  b.join();
  s.all_passed(3);
}
template <bool Ordered>
void two_each() {
  gate_scene s(Ordered);
  model::thread a("brings 1 and 3", [&] {
    s.bring(1);
    s.bring(3);
  });
  s.bring(0);
  s.bring(2);
  a.join();
  s.all_passed(4);
}

// One thread has the right to the input stage; others carry tokens to their end. Who ends a token when the permits
// are out goes on with the input.
struct permit_scene {
  algo::permits permits;
  std::unique_ptr<model::thread> carriers[most_tokens];
  model::var<int> made{0};
  atomic<int> alive{0};
  atomic<int> ended{0};
  int const allowed;
  int const all;

  permit_scene(int most, int tokens) : permits(static_cast<std::size_t>(most)), allowed(most), all(tokens) {
    model::label(permits, "permits");
  }
  void input() {
    for (;;) {
      if (!permits.take()) return;
      int const n = made.get();
      if (n == all) return;
      made.set(n + 1);
      model::require(alive.fetch_add(1, mo::relaxed) < allowed, "no more tokens than were allowed");
      carriers[n] = std::make_unique<model::thread>("carries a token", [this] { end_token(); });
    }
  }
  void end_token() {
    alive.fetch_sub(1, mo::relaxed);
    ended.fetch_add(1, mo::relaxed);
    if (permits.give_back()) go_on();
  }
  // The permit of the token that has ended is the next one's.
  void go_on() {
    int const n = made.get();
    if (n == all) return;
    made.set(n + 1);
    model::require(alive.fetch_add(1, mo::relaxed) < allowed, "no more tokens than were allowed");
    carriers[n] = std::make_unique<model::thread>("carries a token", [this] { end_token(); });
    input();
  }
};

template <int Permits, int Tokens>
void tokens_within_permits() {
  permit_scene s(Permits, Tokens);
  s.input();
  for (int i = 0; i < Tokens; ++i) {
    // Those who make a token are the main thread and carriers of earlier ones.
    model::require(s.carriers[i] != nullptr, "every token is made");
    s.carriers[i]->join();
  }
  model::require(s.ended.load(mo::relaxed) == Tokens, "every token ends");
}

// Who has a permit, and the right to the input, learns that the others' tokens are over.
void permits_are_back() {
  algo::permits permits(2);
  model::var<int> carried{0};
  model::require(permits.take(), "there are two permits");
  model::thread other("carries a token", [&] {
    carried.set(1);
    model::require(!permits.give_back(), "the input goes on");
  });
  model::require(permits.take(), "there are two permits");
  if (permits.others_back()) model::require(carried.get() == 1, "the token is over");
  other.join();
  model::require(permits.others_back(), "the permit is back");
}

// A pipeline of an input and serial stages, a thread that has a lease of it, and one that asks for the lease. All that
// a stage's body touches is plain.
template <bool Ordered>
struct lease_scene {
  static constexpr std::uint32_t stages = 3;  // with the input

  algo::pipeline_lease lease;
  algo::gate gates[stages];
  algo::token tokens[most_tokens];
  model::var<int> seen[stages];  // how many tokens were there

  lease_scene() {
    model::label(lease, "lease");
    for (std::uint32_t i = 1; i < stages; ++i) {
      gates[i].set(Ordered ? algo::gate::ordered : algo::gate::unordered, false, most_tokens);
      model::label(gates[i], "gate");
      gates[i].close(0);
    }
  }
  // The token comes out of the body of the stage `at`.
  void visit(algo::token& t) {
    int const before = seen[t.at].get();
    if (t.at == 0) t.number = static_cast<std::uint64_t>(before);
    model::require(!Ordered || before == static_cast<int>(t.number), "tokens come in the order of their numbers");
    seen[t.at++].set(before + 1);
  }
  algo::token& make() {
    algo::token& t = tokens[seen[0].get()];
    t.at = t.held = 0;
    visit(t);
    return t;
  }
  void carry(algo::token* t) {
    while (t->at != stages) {
      algo::gate& g = gates[t->at];
      if (t->at >= t->held && !g.enter(*t)) return;
      visit(*t);
      if (algo::token* const next = g.leave(t->number)) go_on(*next, t->at);
    }
  }
  void go_on(algo::token& next, std::uint32_t held) {
    next.held = held;
    carry(&next);
  }
  void open(std::uint64_t number, std::uint32_t first, std::uint32_t stage) {
    for (std::uint32_t i = first; i < stage; ++i) {
      if (algo::token* const next = gates[i].leave(number)) go_on(*next, i + 1);
    }
  }

  // What the holder does with so many tokens. True: it has the right to the input still.
  bool hold(int tokens) {
    for (int i = 0; i < tokens; ++i) {
      algo::token& t = make();
      bool asked = false;
      while (!asked && t.at != stages) {
        asked = !lease.go_to(t.number, t.at);
        if (!asked) visit(t);
      }
      if (!asked && lease.go_to(t.number, 0) && i != tokens - 1) continue;
      std::uint32_t const mine = lease.end();
      open(t.number, mine == 0 ? 1 : mine, t.at);
      t.held = stages;
      carry(&t);
      return mine == 0;
    }
    return true;
  }
  // True: the caller has the right to the input.
  bool ask(std::uint32_t name) {
    algo::pipeline_lease::position at;
    if (!lease.revoke(name, at)) return false;
    open(at.number, 1, at.stage);
    return true;
  }
  void all_through() {
    for (std::uint32_t i = 1; i < stages; ++i) {
      model::require(seen[i].get() == seen[0].get(), "each token comes through");
      model::require(gates[i].left_behind() == nullptr, "nobody waits");
    }
  }
};

template <bool Ordered, int Tokens>
void lease_and_thief() {
  lease_scene<Ordered> s;
  std::uint32_t const name = s.lease.begin();
  bool taken = false;
  model::thread thief("asks for the lease", [&] {
    taken = s.ask(name);
    if (taken) s.carry(&s.make());
  });
  bool const kept = s.hold(Tokens);
  if (kept) s.carry(&s.make());
  thief.join();
  model::require(kept != taken, "one thread has the right");
  s.all_through();
}
// The holder goes on to the first stage, and then looks again.
void lease_asked_for_in_vain() {
  lease_scene<true> s;
  std::uint32_t const name = s.lease.begin();
  bool taken = false;
  model::thread thief("asks for the lease", [&] { taken = s.ask(name); });
  algo::token& t = s.make();
  bool const held = s.lease.go_to(t.number, t.at);
  thief.join();
  model::require(!held || taken || !s.lease.go_to(t.number, t.at), "who asks has the right, or is heard");
  model::require(s.lease.end() == (taken ? 1U : 0U), "the holder knows who has the right");
}
// The thief of an earlier lease is late, and the next one's has come.
void lease_of_another_name() {
  lease_scene<true> s;
  bool taken[2] = {};
  auto const ask = [&](bool& has, std::uint32_t name) {
    has = s.ask(name);
    if (has) s.carry(&s.make());
  };
  model::thread late("asks for the lease", [&, name = s.lease.begin()] { ask(taken[0], name); });
  bool kept = s.hold(1);
  std::unique_ptr<model::thread> next;
  if (kept) {
    for (std::uint32_t i = 1; i < s.stages; ++i) s.gates[i].close(1);
    next = std::make_unique<model::thread>("asks for the next lease",
                                           [&, name = s.lease.begin()] { ask(taken[1], name); });
    kept = s.hold(1);
  }
  late.join();
  if (next != nullptr) next->join();
  model::require(kept + taken[0] + taken[1] == 1, "one thread has the right");
  s.all_through();
}

model::scene const scenes[] = {{"ordered", two_tokens<true>},
                               {"unordered", two_tokens<false>},
                               {"ordered, three threads", three_tokens<true>},
                               {"unordered, three threads", three_tokens<false>},
                               {"ordered, two each", two_each<true>},
                               {"unordered, two each", two_each<false>},
                               {"one permit", tokens_within_permits<1, 2>},
                               {"one permit, three tokens", tokens_within_permits<1, 3>},
                               {"two permits", tokens_within_permits<2, 3>},
                               {"permits are back", permits_are_back},
                               {"lease, ordered", lease_and_thief<true, 1>},
                               {"lease, unordered", lease_and_thief<false, 1>},
                               {"lease, ordered, two tokens", lease_and_thief<true, 2>},
                               {"lease, unordered, two tokens", lease_and_thief<false, 2>},
                               {"lease, asked for in vain", lease_asked_for_in_vain},
                               {"lease of another name", lease_of_another_name}};

}  // namespace

TEST_CASE("stages and permits keep their promises in all interleavings") { model::check_all(scenes, {}, 1); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes,
                          {"src/algo/pipeline_gate.h", "src/algo/pipeline_permits.h", "src/algo/pipeline_lease.h"});
}
