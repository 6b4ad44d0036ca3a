// SPDX-License-Identifier: Apache-2.0
// The edges of the flow graph. A sender that reads the successors without the lock gets one, or two, that were there at
// one moment, made as their maker left them; and an edge that changes between pushing and pulling while messages come
// loses none of them and is neither lost nor doubled. The lists, the edges and the output of buffers are the real ones;
// the receiver is a rejecting node with one place, as function_input has it.
#include <scenes.h>

// A lock that looks by writing, as the real one does, would never rest in the engine.
#define spin_mutex spin_mutex_that_writes
#include <ashlar/sync/spin_mutex.h>
#undef spin_mutex
namespace tbb {
class spin_mutex {
 public:
  using scoped_lock = ::ashlar::sync::unique_scoped_lock<spin_mutex>;
  void lock() noexcept {
    while (!try_lock()) ::ashlar::cpu_pause();
  }
  bool try_lock() noexcept {
    bool held = false;
    return held_.compare_exchange(held, true, ::ashlar::mo::acquire, ::ashlar::mo::relaxed);
  }
  void unlock() noexcept { held_.store(false, ::ashlar::mo::release); }

 private:
  ::ashlar::atomic<bool> held_{false};
};
}  // namespace tbb

#include <ashlar/flow/limiter_node.h>
#include <ashlar/flow/outlet.h>
#include <ashlar/flow/places.h>

#include "flow/edge_list.cpp"
#include "flow/edges.cpp"
#include "flow/picture.cpp"

// ---- What stands in for the rest: no job is made, so that no scheduler is needed.
namespace ashlar {
inline namespace v1 {

inline void must_not_be_called() noexcept { model::require(false, "no job is made"); }

namespace sched {

__thread slot* current_slot = nullptr;
atomic<std::uint32_t> foreign_group_waiters{0};
alignas(slot) unsigned char the_slot[sizeof(slot)];  // of each thread that asks whether the graph is cancelled
slot& attach_thread() { return reinterpret_cast<slot&>(the_slot); }
void wake_waiters(void const*) noexcept { must_not_be_called(); }
bool slot::check_cancelled(context&) noexcept { return false; }
void slot::attend() { must_not_be_called(); }
void slot::run(job*, job_key) noexcept { must_not_be_called(); }
void slot::switch_fp(fp_settings const*) noexcept { must_not_be_called(); }
void deque::make_room(index) { must_not_be_called(); }
void* task_pool::refill(std::size_t) { return must_not_be_called(), nullptr; }
void task_pool::release_remote(void*, std::size_t, task_pool*) noexcept { must_not_be_called(); }
void group_counter::finish_elsewhere() noexcept { must_not_be_called(); }

}  // namespace sched

namespace flow {

__thread unsigned call_depth = 0;
node_base::node_base(graph_core& g) : core_(reinterpret_cast<std::uintptr_t>(&g)) {}
node_base::~node_base() = default;
void graph_core::wait_for_activations() noexcept {}
void graph_core::tell_of_early_end(node_base&) noexcept { must_not_be_called(); }
void graph_core::fail() noexcept { must_not_be_called(); }
void graph_core::start_elsewhere(slot&, job&) { must_not_be_called(); }

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

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
  model::thread maker("makes an edge", [&] { s.list.add(new entry); });
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
  s.list.add(&a);
  s.list.add(&b);
  model::thread changer("removes and makes", [&] {
    s.list.remove(&a);
    s.list.add(new entry);
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
  s.list.add(&a);
  s.list.add(&b);
  model::thread changer("removes and makes again", [&] {
    s.list.remove(&a);
    s.list.add(&a);
  });
  void *first, *second;
  if (s.list.look_at_two(first, second)) model::require(first != second, "nobody gets a message twice");
  changer.join();
}

// ---- edges that change their direction

// Keeps numbers of messages only.
struct counting_store {
  bool ready() const noexcept { return messages != 0; }
  int& begin_send() noexcept { return value; }
  flow::wait_token* token() const noexcept { return nullptr; }
  void end_send(bool sent) noexcept { messages -= sent; }
  void clear() noexcept { messages = 0; }
  void forget(flow::wait_token const*) noexcept {}
  int messages = 0, value = 0;
};

class buffer : public tbb::flow::inner::outlet<int, counting_store, false> {
 public:
  explicit buffer(flow::graph_core& g) : outlet(g) {
    model::label(this->lock_, "buffer's lock");
    model::label(this->successors_, "successors");
  }
  void put() {
    {
      guard const held(lock_);
      ++store_.messages;
    }
    model::require(pump() == nullptr, "the receiver makes no job");
  }
  std::size_t left() const noexcept { return static_cast<std::size_t>(store_.messages); }
  std::size_t edges() const noexcept { return successors_.size(); }
};

bool asks_predecessors = true;  // else it forgets those that came while its place was taken

// Has one place, refuses what comes meanwhile, and asks for it when the place is free.
class rejecting_node : public tbb::flow::receiver<int> {
 public:
  explicit rejecting_node(tbb::flow::graph& g) : graph_(g) {
    model::label(places_, "places");
    model::label(predecessors_, "predecessors");
  }
  sched::job* receive(int&, flow::passage) override {
    if (!places_.enter()) return nullptr;
    run();
    return flow::accepted();
  }
  bool register_predecessor(predecessor_type& from) override {
    predecessors_.add(from);
    {
      flow::places::hold held(places_);
      held.set_may_pull(true);
      if (!held.has_room()) return true;
      held.take();
    }
    if (next()) run();
    return true;
  }
  bool remove_predecessor(predecessor_type& from) override { return predecessors_.remove(from); }
  std::size_t edges() const noexcept { return predecessors_.size(); }

  int handled = 0;  // while the place is taken

 protected:
  tbb::flow::graph_task* try_put_task(int const&) override { return nullptr; }
  tbb::flow::graph& graph_reference() const override { return graph_; }

 private:
  void run() {
    do ++handled;
    while (!places_.leave() && next());
  }
  bool next() {
    for (;;) {
      {
        flow::places::hold held(places_);
        if (held.may_pull()) held.set_may_pull(!predecessors_.empty());
        if (!held.may_pull() || !asks_predecessors) {
          held.give_back();
          return false;
        }
      }
      int v;
      tbb::flow::message_metainfo m;
      if (predecessors_.pull(v, m, *this)) return true;
    }
  }

  tbb::flow::graph& graph_;
  flow::places places_{1};
  tbb::flow::inner::predecessors<int> predecessors_;
};

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

alignas(tbb::flow::graph) unsigned char no_graph[sizeof(tbb::flow::graph)];

struct edge_scene {
  edge_scene() : graph(reinterpret_cast<tbb::flow::graph&>(no_graph)), from(graph.core()), to(graph) {
    flow::call_depth = 0;  // an execution that was given up leaves it behind
  }
  void over(int messages) {
    model::require(to.handled == messages && from.left() == 0, "each message is handled once");
    model::require(from.edges() + to.edges() == 1, "there is one edge");
  }
  tbb::flow::graph& graph;
  buffer from;
  rejecting_node to;
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
  auto& graph = reinterpret_cast<tbb::flow::graph&>(no_graph);
  flow::call_depth = 0;
  buffer from(graph.core());
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
  tbb::flow::inner::predecessors<int> all;
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
                                    {"the same again", the_same_again}};
model::scene const edge_scenes[] = {{"two puts", two_puts, 2},
                                    {"an edge is made beside a put", edge_made_beside_a_put, 3},
                                    {"a put beside a full node", put_beside_a_full_node, 2},
                                    {"a decrement beside a refusal", decrement_beside_a_refusal, 2},
                                    {"one that only pulls", one_that_only_pulls, 3},
                                    {"the only predecessor", the_only_predecessor, 3}};

}  // namespace

TEST_CASE("senders see successors that were there at one moment") { model::check_all(list_scenes, {}, 2); }

TEST_CASE("an edge that changes its direction loses no message") { model::check_all(edge_scenes); }

TEST_CASE("each order is needed") {
  model::check_each_order(list_scenes, {"include/ashlar/flow/edge_list.h", "src/flow/edge_list.cpp"});
  model::check_each_order(edge_scenes, {"include/ashlar/flow/edges.h"});
  CHECK(model::caught_by(edge_scenes, model::tagged("include/ashlar/flow/limiter_node.h", "FL3")) != "");
}

TEST_CASE("a node that forgets its predecessors leaves a message behind") {
  asks_predecessors = false;
  CHECK(model::caught_by(edge_scenes, {}) != "");
  asks_predecessors = true;
}
