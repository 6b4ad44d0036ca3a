// SPDX-License-Identifier: Apache-2.0
// The runs of a frozen graph: a body is called once in each run, after those of all predecessors, and sees what they
// have done; the next run finds the counters whole. Steps are jobs of their own, or chunks, or parts of a chunk that
// was dissolved. frozen_plan.cpp and frozen_chunks.cpp are the real ones.
#include <flow_graph_parts.h>

#include "flow/frozen/frozen_chunks.cpp"
#include "flow/frozen/frozen_plan.cpp"
#include "sched/queue/deque.cpp"

using namespace ashlar;

namespace {

// 0 -> 1 -> 3 and 0 -> 2 -> 3.
struct diamond;
diamond* the_diamond = nullptr;  // of the execution

struct node final : flow::node_base {
  explicit node(int n) : node_base(model::no_graph().core()), number(n) {}
  void reset_base(unsigned) override {}
  lone_call get_lone_call(int) noexcept override {
    return [](node_base& n, bool) { static_cast<node&>(n).call(); };
  }
  void call();
  int const number;
  model::var<int> runs;
};

struct diamond {
  diamond() {
    model::own(sched::current_slot);
    model::beside(model::graph_memory);
    model::beside(slots);
    the_diamond = this;
    for (unsigned i = 0; i < 2; ++i) slots[i].belong_to(*reinterpret_cast<sched::arena*>(this), i);
    sched::current_slot = &slots[0];
  }
  void run_jobs(int thread) {
    sched::job* j = nullptr;
    while ((j = started[thread].exchange(nullptr, mo::acquire)) == nullptr) cpu_pause();
    while (j != nullptr) j = j->run(j, *sched::current_slot);
  }
  // The second thread, in each run, begins with what the first one has started.
  void help(int runs) {
    sched::current_slot = &slots[1];
    while (runs-- != 0) run_jobs(1);
  }

  sched::slot slots[2];
  node nodes[4] = {node(0), node(1), node(2), node(3)};
  atomic<sched::job*> started[2] = {nullptr, nullptr};  // the graph's, and what that starts
  atomic<int> under_way{0};
};

void node::call() {
  int const run = runs.get() + 1;
  runs.set(run);
  int const from = number == 3 ? 1 : 0, to = number == 3 ? 3 : number;
  for (int i = from; i < to; ++i) {
    if (number == 2 && i == 1) continue;
    model::require(the_diamond->nodes[i].runs.get() == run, "the predecessors have run");
  }
}

}  // namespace

namespace ashlar {
inline namespace v1 {

namespace sched {

slot::~slot() = default;  // no stacks
void context::retire() noexcept { must_not_be_called(); }
bool arena_visit::enter(arena&) { return true; }
void arena_visit::leave() noexcept {}
void call_in_full_arena(arena&, void (*)(void*), void*) { must_not_be_called(); }
slot& attach_thread() { __builtin_unreachable(); }
void group_counter::finish_elsewhere() noexcept { the_diamond->under_way.fetch_sub(1, mo::acq_rel); }

}  // namespace sched

namespace flow {

void graph_core::describe(picture& to) {
  static constexpr int edges[4][2] = {{1, 2}, {3, -1}, {3, -1}, {-1, -1}};
  for (node& n : the_diamond->nodes) {
    to.next_node(n);
    to.input(&n, picture::input_kind::takes_all);
    to.output(&n, picture::output_kind::loses);
    for (int const e : edges[n.number]) {
      if (e >= 0) to.edge(&the_diamond->nodes[e]);
    }
  }
}
// What the graph starts first is the calling thread's, and what its job starts the other one's.
void graph_core::start_specially(slot& s, job& j) {
  the_diamond->under_way.fetch_add(1, mo::relaxed);
  bool const root = s.outside_tasks();
  the_diamond->started[root ? 0 : 1].store(&j, mo::release);
}
void graph_core::wait_from(sched::group_counter&, slot& s) noexcept {
  slot::frame const outside(s);
  the_diamond->run_jobs(0);
  while (the_diamond->under_way.load(mo::acquire) != 0) cpu_pause();
  outside.restore(s);
}
void graph_core::wait_for_all() {}
void graph_core::throw_own_body() { __builtin_unreachable(); }

}  // namespace flow
}  // namespace v1
}  // namespace ashlar

namespace {

// Of the nodes; a chunk may cost 10.
using costs = std::uint32_t[4];
constexpr costs unknown = {~0u, ~0u, ~0u, ~0u};
constexpr costs first_two = {5, 5, 10, 10};  // 0 and 1 are a chunk
constexpr costs last_three = {10, 1, 1, 1};
constexpr costs nothing = {0, 0, 0, 0};  // all are one

// With the chunks of these costs.
struct frozen_diamond : flow::frozen_plan {
  frozen_diamond(costs const& of, std::size_t expected) : frozen_plan(model::no_graph().core()) {
    longest_chunk_ = 10;
    for (int i = 0; i < 4; ++i) marks_[i].cost = of[i];
    form_chunks();
    model::require(jobs_ == expected, "the chunks are those that the costs ask for");
  }
  // A model's time stands still: a chunk takes longer than that as soon as it has called a step.
  void let_all_dissolve() { longest_chunk_ = 0; }
};

// `jobs`: so many chunks.
void runs(diamond& d, int times, costs const& of, std::size_t jobs, bool dissolve = false) {
  frozen_diamond frozen(of, jobs);
  if (dissolve) frozen.let_all_dissolve();
  model::thread other("helps", [&] { d.help(times); });
  for (int i = 0; i < times; ++i) frozen.run();
  other.join();
  for (node const& n : d.nodes) model::require(n.runs.get() == times, "each body is called once in each run");
}

model::scene const scenes[] = {
    {"one run",
     [] {
       diamond d;
       runs(d, 1, unknown, 4);
     }},
    {"two runs",
     [] {
       diamond d;
       runs(d, 2, unknown, 4);
     },
     3},
    {"a chunk that starts another, and one that waits and leaves nothing to other threads",
     [] {
       diamond d;
       runs(d, 1, first_two, 3);
       frozen_diamond waits(last_three, 2);
       waits.run();
       for (node const& n : d.nodes) model::require(n.runs.get() == 2, "each body is called once in this run, too");
     }},
    {"two runs of a chunk that is dissolved",
     [] {
       diamond d;
       runs(d, 2, nothing, 1, true);
     },
     3},
};

}  // namespace

TEST_CASE("a body is called after those of its predecessors") { model::check_all(scenes, {}, 1); }

TEST_CASE("each order is needed") { model::check_each_order(scenes, {"src/flow/frozen/frozen_plan.h"}); }
