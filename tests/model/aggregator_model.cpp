// SPDX-License-Identifier: Apache-2.0
// aggregator_ext: every operation is performed once, one at a time, by a handler that sees what was announced, and its
// owner goes on with the result.
#include <scenes.h>
#include <sleepers.h>

#include <ashlar/containers/aggregator.h>

#include "sync/mutex.cpp"
#include "sync/parker.cpp"
#include "sync/wait_on.cpp"

using namespace ashlar;

namespace {

struct operation : tbb::aggregator_operation {
  model::var<int> operand{0};
  model::var<int> result{0};
};

struct scene {
  struct handler {
    scene* all;
    void operator()(tbb::aggregator_operation* list) const {
      while (list != nullptr) {
        auto& o = static_cast<operation&>(*list);
        list = list->next();
        o.start();
        int const sum = all->sum.get() + o.operand.get();
        all->sum.set(sum);
        o.result.set(o.result.get() + 1);
        o.finish();
      }
    }
  };

  model::sleepers table;
  model::var<int> sum{0};
  tbb::aggregator_ext<handler> aggregator{handler{this}};

  scene() { model::label(aggregator, "aggregator"); }
  // The operation is gone as soon as it is done.
  void add(int n) {
    operation o;
    o.operand.set(n);
    aggregator.process(&o);
    model::require(o.result.get() == 1, "an operation is performed once, before its owner goes on");
  }
  void holds(int n) {
    add(0);
    model::require(sum.get() == n, "all operations are performed");
  }
};

void two_threads() {
  scene s;
  model::thread a("adds 1", [&] { s.add(1); });
  s.add(10);
  a.join();
  s.holds(11);
}
void again() {
  scene s;
  model::thread a("adds 1 twice", [&] {
    s.add(1);
    s.add(1);
  });
  s.add(10);
  s.add(10);
  a.join();
  s.holds(22);
}
void three_threads() {
  scene s;
  model::thread a("adds 1", [&] { s.add(1); });
  model::thread b("adds 100", [&] { s.add(100); });
  s.add(10);
  a.join();
  b.join();
  s.holds(111);
}

// Something is changed under the aggregator's lock.
void plain_aggregator() {
  model::sleepers const table;
  tbb::aggregator one;
  model::var<int> sum{0};
  auto const add = [&] { one.execute([&] { sum.set(sum.get() + 1); }); };
  model::thread a("adds 1", add);
  add();
  a.join();
  model::require(sum.get() == 2, "both have added");
}

model::scene const scenes[] = {{"two threads", two_threads, 2},
                               {"again", again, 1},
                               {"three threads", three_threads, 1},
                               {"plain aggregator", plain_aggregator, 3}};

}  // namespace

TEST_CASE("operations are performed one at a time") { model::check_all(scenes); }

TEST_CASE("random search goes on where the exhaustive one stops") {
  model::check_randomly(scenes, 2'000, {model::search::random, model::search::pct});
}

TEST_CASE("each order is needed") { model::check_each_order(scenes, {"include/ashlar/containers/aggregator.h"}); }
