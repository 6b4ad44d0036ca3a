// SPDX-License-Identifier: Apache-2.0
// The edges of the flow graph. A sender that reads the successors without the lock gets one, or two, that were there at
// one moment, made as their maker left them; and an edge that changes between pushing and pulling while messages come
// loses none of them and is neither lost nor doubled, and is removed by a removal at any time. The lists, the edges and
// the output of buffers are the real ones; the receiver is a rejecting node with one place, as function_input has it.
#include <flow_neighbours.h>
#include <flow_without_jobs.h>

#include <ashlar/flow/nodes/limiter_node.h>

using namespace ashlar;

namespace {

// ---- the list

struct entry {
  entry() : made(1) {}
  model::var<int> made;
};

struct list_scene {
  list_scene() { model::label(list, "list"); }
  void see(void* what) {
    model::require(static_cast<entry*>(what)->made.get() == 1, "what the entry's maker did is seen");
  }
  flow::successor_list list;
};

void the_only_one() {
  list_scene s;
  model::thread maker("makes an edge", [&] { s.list.add(new entry, false); });
  void* const only = s.list.only();
  if (only != nullptr) {
    model::require(flow::successor_list::is_one(only), "there is one");
    s.see(only);
  }
  if (!s.list.empty()) s.see(s.list.only());
  maker.join();
  delete static_cast<entry*>(s.list.only());
}

// {a, b} -> {b} -> {b, c}: never twice the same, nor a and c.
void two_while_they_change() {
  list_scene s;
  entry a, b;
  s.list.add(&a, false);
  s.list.add(&b, false);
  model::thread changer("removes and makes", [&] {
    s.list.remove(&a);
    s.list.add(new entry, false);
  });
  void *first, *second;
  if (s.list.look_at_two(first, second)) {
    bool const before = first == &a && second == &b;
    model::require(before || (first == &b && second != &a && second != &b), "the two were there at one moment");
    s.see(first);
    s.see(second);
  }
  changer.join();
  delete static_cast<entry*>(s.list.all().at(1));
}

void the_same_again() {
  list_scene s;
  entry a, b;
  s.list.add(&a, false);
  s.list.add(&b, false);
  model::thread changer("removes and makes again", [&] {
    s.list.remove(&a);
    s.list.add(&a, false);
  });
  void *first, *second;
  if (s.list.look_at_two(first, second)) model::require(first != second, "nobody gets a message twice");
  changer.join();
}

// A new one goes before the others.
void a_new_first() {
  list_scene s;
  entry a, b;
  s.list.add(&a, false);
  s.list.add(&b, false);
  entry c;
  model::thread changer("makes an edge that goes first", [&] {
    s.list.remove(&b);
    s.list.add(&c, true);
  });
  void *first, *second;
  if (s.list.look_at_two(first, second)) {
    bool const before = first == &a && second == &b;
    model::require(before || (first == &c && second == &a), "the two were there at one moment");
  }
  changer.join();
}

// ---- edges that change their direction

// Only pulls, and sees whether its maker's work is seen.
class asking_node : public tbb::flow::receiver<int> {
 public:
  explicit asking_node(tbb::flow::graph& g) : graph_(g), made_(1) {}
  sched::job* announce() override {
    model::require(made_.get() == 1, "what the receiver's maker did is seen");
    return nullptr;
  }
  bool only_pulls() const noexcept override { return true; }

 protected:
  tbb::flow::graph_task* try_put_task(int const&) override { return nullptr; }
  tbb::flow::graph& graph_reference() const override { return graph_; }

 private:
  tbb::flow::graph& graph_;
  model::var<int> made_;
};

struct edge_scene {
  edge_scene() : graph(model::no_graph()), from(graph.core()), to(graph) {
    flow::call_depth = 0;  // an execution that was given up leaves it behind
  }
  void over(int messages) {
    model::require(to.handled == messages && from.left() == 0, "each message is handled once");
    model::require(from.edges() + to.edges() == 1, "there is one edge");
  }
  void without_edge(int messages) {
    model::require(to.handled + static_cast<int>(from.left()) == messages, "no message is lost");
    model::require(from.edges() + to.edges() == 0, "there is no edge");
    model::require(!from.may_be_taken(), "nobody waits for what is left");
  }
  tbb::flow::graph& graph;
  model::buffer from;
  model::rejecting_node<int> to;
};

void two_puts() {
  edge_scene s;
  s.from.register_successor(s.to);
  model::thread other("puts", [&] { s.from.put(); });
  s.from.put();
  other.join();
  s.over(2);
}

void edge_made_beside_a_put() {
  edge_scene s;
  model::thread other("makes the edge", [&] { s.from.register_successor(s.to); });
  s.from.put();
  other.join();
  s.over(1);
}

// Another one keeps the node busy.
void put_beside_a_full_node() {
  edge_scene s;
  s.from.register_successor(s.to);
  model::thread other("occupies the node", [&] {
    int v = 0;
    if (s.to.receive(v, flow::passage::copied()) == nullptr) s.from.put();
  });
  s.from.put();
  other.join();
  s.over(2);
}

// The edge turns to pulling meanwhile.
void removed_beside_a_refusal() {
  edge_scene s;
  s.from.register_successor(s.to);
  s.to.occupy();
  model::thread other("removes the edge", [&] { s.from.remove_successor(s.to); });
  s.from.put();
  other.join();
  s.without_edge(1);
}

// The edge pulls, and turns back to pushing meanwhile.
void removed_beside_a_pull() {
  edge_scene s;
  s.from.register_successor(s.to);
  s.to.occupy();
  s.from.put();
  model::thread other("ends the body", [&] { s.to.vacate(); });
  s.from.remove_successor(s.to);
  other.join();
  s.without_edge(1);
}

// Takes all.
class sink : public tbb::flow::receiver<int> {
 public:
  explicit sink(tbb::flow::graph& g) : graph_(g) {}
  sched::job* receive(int&, flow::passage) override {
    taken.fetch_add(1, mo::relaxed);
    return flow::accepted();
  }
  atomic<int> taken{0};

 protected:
  tbb::flow::graph_task* try_put_task(int const&) override { return nullptr; }
  tbb::flow::graph& graph_reference() const override { return graph_; }

 private:
  tbb::flow::graph& graph_;
};

// A limiter has room again while the one that it has refused comes to be asked.
void decrement_beside_a_refusal() {
  auto& graph = model::no_graph();
  flow::call_depth = 0;
  model::buffer from(graph.core());
  tbb::flow::limiter_node<int, int> limiter(graph, 1);
  sink to(graph);
  from.register_successor(limiter);
  limiter.register_successor(to);
  from.put();
  model::thread other("decrements", [&] {
    int one = 1;
    limiter.decrement.receive(one, flow::passage::copied());
  });
  from.put();
  other.join();
  model::require(to.taken.load(mo::relaxed) == 2 && from.left() == 0, "both messages have passed");
}

// A limiter before a node that is busy. When its body ends, the limiter is asked, has nothing that could be taken, and
// pushes as soon as it has its edge back.
void limiter_before_a_busy_node() {
  auto& graph = model::no_graph();
  flow::call_depth = 0;
  model::buffer from(graph.core());
  tbb::flow::limiter_node<int, int> limiter(graph, 1);
  model::rejecting_node<int> to(graph);
  from.register_successor(limiter);
  limiter.register_successor(to);
  to.occupy();
  model::thread other("ends the body", [&] { to.vacate(); });
  from.put();
  other.join();
  model::require(to.handled == 1 && from.left() == 0, "the message is handled");
}

void one_that_only_pulls() {
  edge_scene s;
  asking_node* asking = nullptr;
  model::thread maker("makes the edge", [&] {
    asking = new asking_node(s.graph);
    s.from.register_successor(*asking);
  });
  s.from.put();
  maker.join();
  delete asking;
}

// Is asked, and sees whether its maker's work is seen.
class asked_node : public tbb::flow::sender<int> {
 public:
  asked_node() : made_(1) {}
  bool register_successor(successor_type&) override { return true; }
  bool remove_successor(successor_type&) override { return true; }
  bool try_get(int&) override {
    model::require(made_.get() == 1, "what the sender's maker did is seen");
    return true;
  }

 private:
  model::var<int> made_;
};

void the_only_predecessor() {
  flow::predecessors<int> all;
  asked_node* asked = nullptr;
  model::thread maker("makes the edge", [&] {
    asked = new asked_node;
    all.add(*asked);
  });
  all.find_if([](tbb::flow::sender<int>& from) {
    int v = 0;
    return from.try_get(v);
  });
  maker.join();
  delete asked;
}

model::scene const list_scenes[] = {{"the only one", the_only_one},
                                    {"two while they change", two_while_they_change},
                                    {"the same again", the_same_again},
                                    {"a new one first", a_new_first}};
model::scene const edge_scenes[] = {{"two puts", two_puts, 2},
                                    {"an edge is made beside a put", edge_made_beside_a_put, 3},
                                    {"a put beside a full node", put_beside_a_full_node, 2},
                                    {"a removal beside a refusal", removed_beside_a_refusal, 2},
                                    {"a removal beside a pull", removed_beside_a_pull, 2},
                                    {"a decrement beside a refusal", decrement_beside_a_refusal, 2},
                                    {"a limiter before a busy node", limiter_before_a_busy_node, 1},
                                    {"one that only pulls", one_that_only_pulls, 3},
                                    {"the only predecessor", the_only_predecessor, 3}};

}  // namespace

TEST_CASE("senders see successors that were there at one moment") { model::check_all(list_scenes, {}, 2); }

TEST_CASE("an edge that changes its direction loses no message") { model::check_all(edge_scenes); }

TEST_CASE("nor does one to a receiver of the program") {
  model::is_programs = true;
  model::check_all(edge_scenes);
  model::is_programs = false;
}

TEST_CASE("each order is needed") {
  model::check_each_order(list_scenes, {"include/ashlar/flow/edges/edge_list.h", "src/flow/edges/edge_list.cpp"});
  model::check_each_order(edge_scenes,
                          {"include/ashlar/flow/edges/edges.h", "include/ashlar/flow/edges/predecessors.h"});
  CHECK(model::caught_by(edge_scenes, model::tagged("include/ashlar/flow/nodes/limiter_node.h", "FL3")) != "");
}

TEST_CASE("a node that forgets its predecessors leaves a message behind") {
  model::asks_predecessors = false;
  CHECK(model::caught_by(edge_scenes, {}) != "");
  model::asks_predecessors = true;
}

TEST_CASE("a node that gives edges back while its place is taken asks and refuses for ever") {
  model::gives_back_early = true;
  CHECK(model::caught_by(edge_scenes, {}) != "");
  model::gives_back_early = false;
}
