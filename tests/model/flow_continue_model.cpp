// SPDX-License-Identifier: Apache-2.0
// The own job of a continue_node: each complete round makes a job, several may be under way at once, and the node's own
// job is one of them at most. It is put into another place only when it has left the one before. continue_input.h,
// rounds.h and the pool that the other jobs come from are the real ones.
#include <flow_graph_parts.h>

#include <ashlar/flow/work/continue_input.h>

#include "sched/queue/deque.cpp"
#include "sched/queue/task_pool.cpp"

namespace ashlar {
inline namespace v1 {

namespace sched {

std::mutex process_locks::orphans;
slot::~slot() = default;  // no stacks
void context::retire() noexcept { must_not_be_called(); }
bool context::is_cancelled() noexcept { return false; }
slot& attach_thread() { __builtin_unreachable(); }
void group_counter::finish_elsewhere() noexcept {}  // nobody waits for the graph

}  // namespace sched

namespace flow {

void graph_core::start_specially(slot&, job&) { must_not_be_called(); }
void graph_core::fail_in(node_base const&) noexcept { must_not_be_called(); }
job* graph_core::prioritize(slot&, job&, unsigned) noexcept { return must_not_be_called(), nullptr; }
job* graph_core::let_urgent_first(slot&, job&) noexcept { return must_not_be_called(), nullptr; }

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

using namespace ashlar;

namespace {

using flow::continue_input;
using tbb::flow::continue_msg;

// Its body counts.
class node : public tbb::flow::graph_node, public continue_input {
 public:
  explicit node(int predecessors)
      : graph_node(model::no_graph()),
        continue_input(model::no_graph(), predecessors, tbb::flow::no_priority, false, &run_node<node>) {
    model::label(*this, "node");
  }
  template <bool>
  sched::job* run_body(flow::wait_token*) {
    calls.fetch_add(1, mo::relaxed);
    return nullptr;
  }
  atomic<int> calls{0};

 private:
  sched::job* call(flow::wait_token* t) final { return run_body<true>(t); }
  flow::node_base const& its_node() const noexcept final { return *this; }
  void reset_node(tbb::flow::reset_flags) final {}
};

struct scene {
  explicit scene(int predecessors) : to(predecessors) {
    model::own(sched::current_slot);
    model::beside(model::graph_memory);
    model::beside(slots);
    for (unsigned i = 0; i < 2; ++i) {
      slots[i].belong_to(*reinterpret_cast<sched::arena*>(this), i);
      slots[i].sit_down(*reinterpret_cast<sched::thread_data*>(this), pools[i], false, 0);
    }
    sit(0);
    // The first round is fired by the own job.
    for (int i = 1; i < predecessors; ++i) put();
    own = put();
    run(own);
  }
  void sit(int i) { sched::current_slot = &slots[i]; }
  // The job of the round, which the caller has, if this is its last message.
  sched::job* put() {
    continue_msg m;
    sched::job* const j = to.receive(m, flow::passage::copied());
    if (j == flow::accepted()) return nullptr;
    if (j == own) {
      model::require(places.get() == 0, "the own job is in one place");
      places.set(1);
    }
    return j;
  }
  void run(sched::job* j) {
    if (j == nullptr) return;
    if (j == own) places.set(0);
    sched::slot& here = *sched::current_slot;
    model::no_graph().core().add(here);
    model::require(j->run(j, here) == nullptr, "the body makes no job");
  }
  void put_and_run() { run(put()); }
  void over(int rounds) {
    model::require(to.calls.load(mo::relaxed) == rounds + 1, "each round calls the body once");
    model::require(places.get() == 0, "the own job is free");
  }

  sched::task_pool pools[2];
  sched::slot slots[2];
  node to;
  sched::job* own = nullptr;
  model::var<int> places;  // in which the own job lies: written by whoever puts it there, or takes it out
};

void two_messages() {
  scene s(1);
  model::thread other("puts", [&] {
    s.sit(1);
    s.put_and_run();
  });
  s.put_and_run();
  other.join();
  s.over(2);
}

void two_of_each() {
  scene s(1);
  model::thread other("puts twice", [&] {
    s.sit(1);
    s.put_and_run();
    s.put_and_run();
  });
  s.put_and_run();
  s.put_and_run();
  other.join();
  s.over(4);
}

void rounds_of_two() {
  scene s(2);
  model::thread other("puts twice", [&] {
    s.sit(1);
    s.put_and_run();
    s.put_and_run();
  });
  s.put_and_run();
  s.put_and_run();
  other.join();
  s.over(2);
}

// A thief runs the own job, while the next round is fired.
void stolen() {
  scene s(1);
  atomic<sched::job*> deque{nullptr};
  model::thread thief("thief", [&] {
    s.sit(1);
    sched::job* j = nullptr;
    while ((j = deque.load(mo::acquire)) == nullptr) cpu_pause();
    s.run(j);
  });
  deque.store(s.put(), mo::release);
  s.put_and_run();
  thief.join();
  s.over(2);
}

model::scene const scenes[] = {{"two messages", two_messages},
                               {"two of each", two_of_each, 3},
                               {"rounds of two", rounds_of_two, 3},
                               {"stolen", stolen}};

model::options without_leaks() {  // pools keep their memory for ever
  model::options how;
  how.leaks = false;
  return how;
}

}  // namespace

TEST_CASE("each round calls the body once, and the own job is in one place") {
  model::check_all(scenes, without_leaks(), 2);
}

TEST_CASE("each order is needed") {
  model::check_each_order(scenes, {"include/ashlar/flow/work/continue_input.h"}, {}, without_leaks());
}
