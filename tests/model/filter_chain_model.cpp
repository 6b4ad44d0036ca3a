// SPDX-License-Identifier: Apache-2.0
// Filters that are shared by chains of several threads: a filter's body ends once, after the last use of any chain
// that holds it. algo/parallel_pipeline.h is the real one.
#include <scenes.h>

#include <ashlar/algo/parallel_pipeline.h>

#include <optional>

using namespace ashlar;
using algo::filter_chain;

namespace ashlar::inline v1::algo {

void run_pipeline(stage const*, std::size_t, std::size_t, tbb::task_group_context*) {
  model::require(false, "no pipeline is run here");
}

}  // namespace ashlar::inline v1::algo

namespace {

constexpr int users = 3;

// Its last copy, the one in the chain, ends.
struct body {
  explicit body(model::var<int> (&u)[users], model::var<int>& e) : uses(&u), ends(&e) {}
  body(body const& o) : uses(o.uses), ends(o.ends), in_chain(true) {}
  ~body() {
    if (!in_chain) return;
    for (model::var<int> const& u : *uses) u.get();
    ends->set(ends->get() + 1);
  }
  int operator()(int i) const { return i; }

  model::var<int> (*uses)[users];
  model::var<int>* ends;
  bool in_chain = false;
};

struct scene {
  model::var<int> uses[users];
  model::var<int> ends;

  filter_chain make() { return filter_chain::of<int, int>(tbb::filter_mode::parallel, body(uses, ends)); }
  void use(int user, filter_chain const&) { uses[user].set(1); }
  void ended(int bodies) { model::require(ends.get() == bodies, "each body has ended once"); }
};

void copies() {
  scene s;
  std::optional<filter_chain> mine = s.make();
  model::thread a("user", [&s, copy = mine]() mutable {
    s.use(1, *copy);
    copy.reset();
  });
  s.use(0, *mine);
  mine.reset();
  a.join();
  s.ended(1);
}

// The last copy goes with the thread that is slower, or with the caller.
void last_of_three() {
  scene s;
  std::optional<filter_chain> mine = s.make();
  model::thread a("user 1", [&s, copy = mine]() mutable {
    s.use(1, *copy);
    copy.reset();
  });
  model::thread b("user 2", [&s, copy = mine]() mutable {
    s.use(2, *copy);
    copy.reset();
  });
  s.use(0, *mine);
  mine.reset();
  a.join();
  b.join();
  s.ended(1);
}

// Another thread makes a longer chain of the filter while the caller drops it.
void part_of_a_chain() {
  scene s;
  std::optional<filter_chain> mine = s.make();
  model::thread a("makes a chain", [&s, copy = mine]() mutable {
    filter_chain const twice(*copy, *copy);
    copy.reset();
    s.use(1, twice);
  });
  s.use(0, *mine);
  mine.reset();
  a.join();
  s.ended(1);
}

model::scene const scenes[] = {
    {"copies", copies}, {"last of three", last_of_three}, {"part of a chain", part_of_a_chain}};

}  // namespace

TEST_CASE("a filter ends once, after its last use") { model::check_all(scenes, {}, 0); }

TEST_CASE("each order is needed") {
  // One instruction gives a reference up and takes the others' over: both tags are weakened with its line.
  model::check_each_order(scenes, {"include/ashlar/algo/parallel_pipeline.h"});
}
