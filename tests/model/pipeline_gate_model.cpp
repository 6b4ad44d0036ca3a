// SPDX-License-Identifier: Apache-2.0
// The entrance of a serial stage and the tokens that a pipeline may have: one token at a time is inside, an ordered
// gate lets them in by number, each comes through once with what it carries, and the input stage has one thread at a
// time and no more tokens than were allowed. Who takes the notice of a thread that carries short tokens has the right
// to the input, or is heard.
#include <scenes.h>

#include "algo/pipeline_gate.h"
#include "algo/pipeline_permits.h"
#include "algo/pipeline_right.h"

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

// A thread that makes short tokens and carries them, and thieves, each of which took a notice.
struct right_scene {
  algo::input_claim claim;
  model::var<int> made{0};
  atomic<int> wishes{0};
  int made_by_owner = 0;
  bool heard = false;

  right_scene() {
    model::label(claim, "claim");
    claim.hold();
  }
  void make() { made.set(made.get() + 1); }
  // True: it has the right still.
  bool carry_tokens(int n) {
    for (int i = 0; i < n; ++i) {
      make();
      ++made_by_owner;
      if (!claim.let_go()) {
        heard = true;
        return true;
      }
      if (!claim.claim()) return false;
    }
    return true;
  }
  // True: the thief made a token, and goes on with the right.
  bool steal() {
    if (claim.claim_or_wish()) {
      make();
      return true;
    }
    wishes.fetch_add(1, mo::relaxed);
    return false;
  }
};

void right_and_thief() {
  right_scene s;
  bool stolen = false;
  model::thread thief("thief", [&] { stolen = s.steal(); });
  bool const kept = s.carry_tokens(2);
  thief.join();
  model::require(kept != stolen, "one thread has the right");
  model::require(s.made.get() == s.made_by_owner + stolen, "each token is made once");
  bool const wished = s.wishes.load(mo::relaxed) == 1;
  model::require(wished == !stolen, "the thief has the right, or wished for it");
  if (wished && !s.heard) model::require(!s.claim.let_go(), "a wish is heard when the holder lets go next");
}
void right_and_two_thieves() {
  right_scene s;
  bool stolen[2] = {};
  model::thread a("thief", [&] { stolen[0] = s.steal(); });
  model::thread b("other thief", [&] { stolen[1] = s.steal(); });
  bool const kept = s.carry_tokens(1);
  a.join();
  b.join();
  model::require(kept + stolen[0] + stolen[1] == 1, "one thread has the right");
  model::require(s.made.get() == 1 + stolen[0] + stolen[1], "each token is made once");
  if (s.wishes.load(mo::relaxed) != 0 && !s.heard) {
    model::require(!s.claim.let_go(), "a wish is heard when the holder lets go next");
  }
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
                               {"right and thief", right_and_thief},
                               {"right and two thieves", right_and_two_thieves}};

}  // namespace

TEST_CASE("stages and permits keep their promises in all interleavings") { model::check_all(scenes, {}, 1); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes,
                          {"src/algo/pipeline_gate.h", "src/algo/pipeline_permits.h", "src/algo/pipeline_right.h"});
}
