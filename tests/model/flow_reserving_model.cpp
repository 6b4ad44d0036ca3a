// SPDX-License-Identifier: Apache-2.0
// The reserving join. A tuple is made as soon as there is a message for each port and somebody who takes it, whoever
// brings the last of these, and while others look; each message is in one tuple; two joins that need the same messages
// let each other have them. reserving_join.h, the edges and the outputs of the buffers before it are the real ones.
#include <flow_neighbours.h>
#include <flow_without_jobs.h>

#include <ashlar/flow/stores/reserving_join.h>

using namespace ashlar;

namespace {

using pair = std::tuple<int, int>;
using flow::reserving_join;

class join : public reserving_join<pair> {
 public:
  explicit join(tbb::flow::graph& g) : reserving_join(g), life_(*this, g.core()) { model::label(*this, "join"); }

 private:
  life const& its_life() const noexcept override { return life_; }
  life const life_;
};

// Takes all, one after the other: what is pushed at once is a race.
class sink : public tbb::flow::receiver<pair> {
 public:
  sched::job* receive(pair&, flow::passage) override {
    taken.set(taken.get() + 1);
    return flow::accepted();
  }
  model::var<int> taken;

 protected:
  tbb::flow::graph_task* try_put_task(pair const&) override { return nullptr; }
  tbb::flow::graph& graph_reference() const override { return model::no_graph(); }
};

// Refuses all, and never asks.
template <typename T>
class refusing_node : public tbb::flow::receiver<T> {
 public:
  sched::job* receive(T&, flow::passage) override { return nullptr; }
  bool may_pull() const noexcept override { return false; }

 protected:
  tbb::flow::graph_task* try_put_task(T const&) override { return nullptr; }
  tbb::flow::graph& graph_reference() const override { return model::no_graph(); }
};

// A program's own: has one message, and tells nobody of it.
class quiet_sender : public tbb::flow::sender<int> {
 public:
  bool register_successor(successor_type&) override { return true; }
  bool remove_successor(successor_type&) override { return true; }
  bool try_reserve(int&) override { return left.get() != 0; }
  bool try_consume() override {
    left.set(0);
    return true;
  }
  bool try_release() override { return true; }
  model::var<int> left{1};
};

struct scene {
  scene() {
    flow::call_depth = 0;  // an execution that was given up leaves it behind
    a.register_successor(first(j));
    b.register_successor(second(j));
  }
  static tbb::flow::receiver<int>& first(join& of) { return std::get<0>(of.input_ports()); }
  static tbb::flow::receiver<int>& second(join& of) { return std::get<1>(of.input_ports()); }
  void sit() { own_slots.take(1); }
  void over(int tuples) {
    model::require(to.taken.get() + got == tuples, "each tuple is made once");
    model::require(a.left() == 0 && b.left() == 0, "no message is left");
  }

  model::seats own_slots;
  tbb::flow::graph& graph = model::no_graph();
  model::buffer a{graph.core()}, b{graph.core()};
  join j{graph};
  sink to;
  int got = 0;  // by try_get
};

void two_puts() {
  scene s;
  s.j.register_successor(s.to);
  model::thread other("puts into b", [&] {
    s.sit();
    s.b.put();
  });
  s.a.put();
  other.join();
  s.over(1);
}

void two_of_each() {
  scene s;
  s.j.register_successor(s.to);
  s.a.put();
  model::thread other("puts into b", [&] {
    s.sit();
    s.b.put();
    s.b.put();
  });
  s.a.put();
  other.join();
  s.over(2);
}

// The messages are there, and somebody comes who takes them.
void taker_comes() {
  scene s;
  s.a.put();
  model::thread other("makes an edge", [&] {
    s.sit();
    s.j.register_successor(s.to);
  });
  s.b.put();
  other.join();
  s.over(1);
}

// A predecessor comes with a message, while the join takes what the port's other one has.
void predecessor_comes() {
  scene s;
  quiet_sender more;
  s.a.put();
  s.a.put();
  s.b.put();
  model::thread other("makes an edge", [&] {
    s.sit();
    scene::second(s.j).register_predecessor(more);
  });
  s.j.register_successor(s.to);
  other.join();
  s.over(2);
  model::require(more.left.get() == 0, "its message is taken");
}

// Somebody asks for a tuple, while the last message comes, and perhaps somebody else who takes what is made.
void get(bool taker_comes) {
  scene s;
  s.a.put();
  model::thread other("puts into b", [&] {
    s.sit();
    if (taker_comes) s.j.register_successor(s.to);
    s.b.put();
  });
  pair v;
  s.got += s.j.try_get(v) ? 1 : 0;
  other.join();
  if (!taker_comes && s.got == 0) s.got += s.j.try_get(v) ? 1 : 0;
  s.over(1);
}

// The taker is busy: it asks when it is not.
void busy_taker() {
  scene s;
  model::rejecting_node<pair> node(s.graph);
  s.a.put();
  s.j.register_successor(node);
  model::thread other("occupies the node", [&] {
    s.sit();
    pair v;
    if (node.receive(v, flow::passage::copied()) == nullptr) s.got = 1;
  });
  s.b.put();
  other.join();
  model::require(node.handled + s.got == 2, "the node handles both");
  s.got = 1;
  s.over(1);
}

// Both joins need both messages, and reserve them in different orders.
void two_joins() {
  scene s;
  join other_way{s.graph};
  sink other_to;
  s.a.register_successor(scene::second(other_way));
  s.b.register_successor(scene::first(other_way));
  s.a.put();
  s.b.put();
  model::thread other("makes an edge", [&] {
    s.sit();
    other_way.register_successor(other_to);
  });
  s.j.register_successor(s.to);
  other.join();
  s.got = other_to.taken.get();
  s.over(1);
}

// Nobody takes the tuple. What the join gives back is offered to others again, and announced: to the join that is no
// news, or it would try for ever.
void given_back() {
  scene s;
  refusing_node<int> busy;
  refusing_node<pair> busy_taker;
  s.a.register_successor(busy);
  s.j.register_successor(busy_taker);
  model::thread other("puts into b", [&] {
    s.sit();
    s.b.put();
  });
  s.a.put();
  other.join();
  model::require(s.a.left() == 1 && s.b.left() == 1, "the messages wait");
  s.j.register_successor(s.to);
  s.over(1);
}

model::scene const scenes[] = {{"given back", given_back, 2},
                               {"two puts", two_puts, 4},
                               {"two of each", two_of_each, 4},
                               {"a taker comes", taker_comes, 4},
                               {"a predecessor comes", predecessor_comes, 4},
                               {"a get", [] { get(false); }, 4},
                               {"a get, and a taker comes", [] { get(true); }, 4},
                               {"a busy taker", busy_taker, 2},
                               {"two joins", two_joins, 2}};

}  // namespace

TEST_CASE("a tuple is made when there is a message for each port") { model::check_all(scenes, model::trimmed()); }

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"include/ashlar/flow/stores/reserving_join.h"}, {}, model::trimmed());
}
