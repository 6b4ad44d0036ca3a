// SPDX-License-Identifier: Apache-2.0
// The engine's invariants on every graph under every policy, its determinism and its limits.
#include "engine/simulate.h"
#include "graphs/catalogue.h"
#include "machine/machine_file.h"
#include "program/analysis.h"
#include "program/bad_input.h"
#include "program/recorded_program.h"
#include "tests/small_graphs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace ashlar::sim;

namespace {

// Each task of a program once, and in an order that its spawns and waits allow: a program that watches another one.
class checked_program final : public program {
 public:
  explicit checked_program(program const& p) : inner_(p) {}
  task_state root() const override { return inner_.root(); }
  step next(task_state& self, task_state& child) const override {
    step const s = inner_.next(self, child);
    ended += s.kind == step_kind::end;
    worked += s.kind == step_kind::work ? s.work : 0;
    return s;
  }
  join_kind join_of(task_state const& t) const override { return inner_.join_of(t); }
  std::string region_name(std::uint32_t r) const override { return inner_.region_name(r); }
  mutable std::uint64_t ended = 0;
  mutable picoseconds worked = 0;

 private:
  program const& inner_;
};

void check_invariants(program const& p, analysis const& a, machine const& m, options const& o) {
  checked_program const watched(p);
  result const r = simulate(watched, m, o);
  CHECK(watched.ended == a.tasks);
  CHECK(watched.worked == a.work);
  CHECK(r.tasks == a.tasks);
  CHECK(r.makespan >= std::max(a.span, (a.work + o.workers - 1) / o.workers));
  picoseconds sum = 0;
  for (picoseconds const t : r.times) sum += t;
  CHECK(sum == o.workers * r.makespan);
  CHECK(r[activity::work] == a.work);
  CHECK(r.idle_ramp_up + r.idle_between + r.idle_tail ==
        r[activity::failing] + r[activity::pausing] + r[activity::parked]);
  if (o.workers == 1) CHECK(r.steals + r.failed_steals + r.conflicts == 0);
  if (o.workers == 1) CHECK(r.idle_ramp_up + r.idle_between + r.idle_tail == 0);
}

machine small_machine(steal_protocol protocol) {
  machine m = load_machine("epyc").described;
  m.cluster_size = 2;
  m.socket_size = 4;
  m.protocol = protocol;
  return m;
}

options with(unsigned workers, char const* policy, wait_rule wait = wait_rule::any) {
  options o;
  o.workers = workers;
  o.victim = parse_victim(policy);
  o.wait = wait;
  return o;
}

}  // namespace

TEST_CASE("the table of small graphs has all graphs") {
  for (graph const& g : all_graphs()) {
    CHECK(std::any_of(small_graphs.begin(), small_graphs.end(),
                      [&](std::string const& s) { return s.substr(0, s.find(':')) == g.name; }));
  }
}

TEST_CASE("every graph under every policy, wait rule and protocol") {
  for (std::string const& specification : small_graphs) {
    CAPTURE(specification);
    auto const p = make_graph(specification);
    analysis const a = analyse(*p);
    for (steal_protocol const protocol : {steal_protocol::ashlar, steal_protocol::tbb41}) {
      machine const m = small_machine(protocol);
      for (std::string policy : victim_names()) {
        for (char const* half : {"", "+half"}) {
          CAPTURE(policy);
          for (unsigned const workers : {1u, 2u, 7u}) {
            options o = with(workers, (policy + half).c_str());
            if (protocol == steal_protocol::tbb41) o.idle = ashlar::sched::idle_policy::tbb41;
            check_invariants(*p, a, m, o);
          }
        }
      }
      for (wait_rule const wait : {wait_rule::depth, wait_rule::leapfrog, wait_rule::continuation}) {
        for (char const* policy : {"distance", "random", "occupancy"}) {
          check_invariants(*p, a, m, with(6, policy, wait));
        }
      }
    }
  }
}

TEST_CASE("the same input gives the same events, another seed or policy others") {
  auto const p = make_graph("utsT1:depth=5");
  machine const m = load_machine("epyc").described;
  options o = with(16, "random");
  result const first = simulate(*p, m, o), second = simulate(*p, m, o);
  CHECK(first.hash == second.hash);
  CHECK(first.per_worker == second.per_worker);
  o.seed = 2;
  CHECK(simulate(*p, m, o).hash != first.hash);
  CHECK(simulate(*p, m, with(16, "p2c")).hash != first.hash);
}

TEST_CASE("free operations give the greedy schedule of independent tasks") {
  machine m;
  m.costs.pause = 1;
  result const r = simulate(*make_graph("bag:tasks=100,task_ns=1000"), m, with(10, "oracle"));
  // Ten workers, a hundred tasks of a microsecond; all but one idle thief a pause or two late.
  CHECK(r.makespan >= 10 * microsecond);
  CHECK(r.makespan < 10 * microsecond + 100);
}

TEST_CASE("one worker pays what the machine file says") {
  machine const m = load_machine("epyc").described;
  analysis const a = analyse(*make_graph("fib:n=10"));
  result const r = simulate(*make_graph("fib:n=10"), m, with(1, "distance"));
  CHECK(r.makespan == a.work + a.spawns * (m.costs.spawn + m.costs.pop) + a.waits * m.costs.wait);
}

TEST_CASE("a recorded program runs as it was recorded") {
  recorded_program::builder b;
  auto const region = b.add_region("r");
  auto const root = b.add_task(region);
  for (int i = 0; i < 4; ++i) {
    auto const child = b.add_task(region);
    b.spawn(root, child);
    b.work(child, 100 * microsecond);
  }
  b.wait(root);
  auto const p = b.build();
  result const r = simulate(p, load_machine("epyc").described, with(4, "distance"));
  CHECK(r.makespan >= 100 * microsecond);
  CHECK(r.makespan < 102 * microsecond);
  CHECK(r.steals == 3);
}

TEST_CASE("sleepers are called when work comes, and not before") {
  // A long serial part, then work for all.
  recorded_program::builder b;
  auto const region = b.add_region("r");
  auto const root = b.add_task(region);
  b.work(root, 10 * millisecond);
  for (int i = 0; i < 8; ++i) {
    auto const child = b.add_task(region);
    b.spawn(root, child);
    b.work(child, millisecond);
  }
  b.wait(root);
  auto const p = b.build();
  for (steal_protocol const protocol : {steal_protocol::ashlar, steal_protocol::tbb41}) {
    machine const m = small_machine(protocol);
    options o = with(8, "distance");
    if (protocol == steal_protocol::tbb41) o.idle = ashlar::sched::idle_policy::tbb41;
    result const r = simulate(p, m, o);
    CHECK(r.parks >= 7);
    CHECK(r.wakes >= 7);
    CHECK(r.wakes <= 8);  // the root, too, may have slept at the end
    CHECK(r.makespan < 11 * millisecond + 300 * microsecond);
    CHECK(r[activity::parked] > 7 * 9 * millisecond);
    o.idle = ashlar::sched::idle_policy::spin;
    CHECK(simulate(p, m, o).parks == 0);
    CHECK(simulate(p, m, o).energy(m) > r.energy(m));
  }
}

TEST_CASE("a worker that is called again and again for tasks that their owner takes back stays awake") {
  recorded_program::builder b;
  auto const region = b.add_region("r");
  auto const root = b.add_task(region);
  for (int i = 0; i < 400; ++i) {
    b.work(root, 5 * microsecond);
    auto const child = b.add_task(region);
    b.spawn(root, child);
    b.work(child, 10 * nanosecond);
    b.wait(root);
  }
  auto const p = b.build();
  machine const m = small_machine(steal_protocol::ashlar);
  result const r = simulate(p, m, with(2, "distance"));
  CHECK(r.wakes <= 5);  // 50 if it sleeps as soon as it finds nothing
}

namespace {

// All but the hash.
void check_equal(result const& a, result const& b) {
  CHECK(a.makespan == b.makespan);
  CHECK(a.times == b.times);
  CHECK(a.per_worker == b.per_worker);
  for (auto const count : {&result::events, &result::tasks, &result::spawns, &result::waits, &result::steals,
                           &result::stolen_tasks, &result::failed_steals, &result::conflicts, &result::parks,
                           &result::wakes, &result::most_open_tasks, &result::buried_waits, &result::buried_time,
                           &result::idle_ramp_up, &result::idle_tail, &result::idle_between}) {
    CHECK(a.*count == b.*count);
  }
}

}  // namespace

TEST_CASE("fast-forward changes no result") {
  std::vector<std::string> graphs = small_graphs;
  // Serial parts that end before, while and after the others fall asleep.
  for (char const* serial : {"1000", "5000", "20000", "33333", "100000"}) {
    graphs.push_back(std::string("streamcluster:loops=10,serial_ns=") + serial);
  }
  std::uint64_t passed_over = 0, events = 0;
  for (std::string const& graph : graphs) {
    CAPTURE(graph);
    auto const p = make_graph(graph);
    machine m = small_machine(steal_protocol::ashlar);
    for (std::string const policy :
         {"by_size", "distance", "distance+half", "random", "pseudo_random", "occupancy", "weighted"}) {
      CAPTURE(policy);
      for (unsigned const workers : {1u, 2u, 7u, 24u}) {
        for (wait_rule const wait : {wait_rule::any, wait_rule::leapfrog}) {
          options o = with(workers, policy.c_str(), wait);
          // Looks that take no time, or as long as a pause, have many events at one time.
          m.costs.probe = workers == 7 ? m.costs.pause - m.costs.choose : workers == 2 ? 0 : 2 * nanosecond;
          result const slow = simulate(*p, m, o);
          CHECK(slow.passed_over == 0);
          o.fast_forward = true;
          result const fast = simulate(*p, m, o);
          check_equal(fast, slow);
          passed_over += fast.passed_over;
          events += fast.events;
        }
      }
    }
  }
  CHECK(passed_over > events / 20);
}

TEST_CASE("the timeline tells what each worker did at any time, and no more than it may") {
  auto const p = make_graph("bodytrack:frames=1,layers=2,particles=100");
  machine const m = load_machine("epyc").described;
  std::vector<stretch> timeline;
  options o = with(4, "distance");
  result const plain = simulate(*p, m, o);
  o.timeline = &timeline;
  result const r = simulate(*p, m, o);
  CHECK(r.hash == plain.hash);
  std::vector<picoseconds> reached(4);
  activity_times sums{};
  for (stretch const& s : timeline) {
    CHECK(s.begin == reached[s.worker]);
    CHECK(s.end > s.begin);
    reached[s.worker] = s.end;
    sums[static_cast<std::size_t>(s.what)] += s.end - s.begin;
  }
  CHECK(reached == std::vector<picoseconds>(4, r.makespan));
  // A look at a victim is part of the theft that it leads to; only afterwards is it known that it was not in vain.
  auto const of = [](activity_times const& t, activity a) { return t[static_cast<std::size_t>(a)]; };
  for (activity a : {activity::work, activity::scheduling, activity::pausing, activity::parked}) {
    CHECK(of(sums, a) == r[a]);
  }
  CHECK(of(sums, activity::failing) + of(sums, activity::stealing) == r[activity::failing] + r[activity::stealing]);
  o.max_stretches = timeline.size() - 1;
  timeline.clear();
  CHECK_THROWS_WITH_AS(simulate(*p, m, o), doctest::Contains("choose a smaller graph"), bad_input);
}

TEST_CASE("the first four tasks of a deque are free to take, then a thief opens half of it with a fence") {
  // One thief, a spawner that computes: 20 tasks, of which it takes all.
  recorded_program::builder b;
  auto const region = b.add_region("r");
  auto const root = b.add_task(region);
  for (int i = 0; i < 20; ++i) {
    auto const child = b.add_task(region);
    b.spawn(root, child);
    b.work(child, microsecond);
  }
  b.work(root, millisecond);
  b.wait(root);
  auto const p = b.build();
  machine m = load_machine("epyc").described;
  m.costs.fence = 0;
  result const free = simulate(p, m, with(2, "distance"));
  m.costs.fence = 8 * microsecond;
  result const fenced = simulate(p, m, with(2, "distance"));
  CHECK(free.steals == 20);
  CHECK(fenced.steals == 20);
  // 16 left: opens 8, 4, 2, 1 and 1.
  CHECK(fenced[activity::stealing] == free[activity::stealing] + 5 * 8 * microsecond);
  // The spawner has been interrupted as often, and pays before its wait is over.
  m.protocol = steal_protocol::tbb41;
  CHECK(simulate(p, m, with(2, "distance"))[activity::stealing] < 2 * free[activity::stealing]);
}

TEST_CASE("group counters charge who ends another worker's tasks, and change nothing on one") {
  machine const m = load_machine("epyc").described;
  auto const p = make_graph("streamcluster:loops=20");
  options o = with(1, "distance");
  o.group_counters = true;
  CHECK(simulate(*p, m, o).makespan == simulate(*p, m, with(1, "distance")).makespan);
  o.workers = 4;
  check_invariants(*p, analyse(*p), m, o);
}

namespace {

// Three times a child that works beside its parent, which waits for it.
recorded_program three_forks(picoseconds childs_work, picoseconds parents_work) {
  recorded_program::builder b;
  auto const region = b.add_region("all");
  auto const root = b.add_task(region);
  for (int i = 0; i < 3; ++i) {
    auto const child = b.add_task(region);
    b.spawn(root, child);
    b.work(child, childs_work);
    b.work(root, parents_work);
    b.wait(root);
  }
  return b.build();
}

}  // namespace

TEST_CASE("what a theft costs beside the moves of lines") {
  // The parent finds its deque empty in each wait, so each theft is a first one.
  recorded_program const p = three_forks(100 * microsecond, 95 * microsecond);
  machine m = load_machine("epyc").described;
  options o = with(2, "distance");
  // So it sees no task while it pauses, and each theft has a look of its own.
  o.idle = ashlar::sched::idle_policy::yield;
  result const plain = simulate(p, m, o);
  CHECK(plain.steals == 3);
  m.line_ahead = 10 * nanosecond;
  CHECK(simulate(p, m, o)[activity::stealing] + 3 * 10 * nanosecond == plain[activity::stealing]);
  m.line_ahead = m.cluster_line;
  std::uint64_t const whole = simulate(p, m, o).hash;
  m.line_ahead = microsecond;
  CHECK(simulate(p, m, o).hash == whole);
  m.line_ahead = 0;
  m.costs.first_theft = 2 * microsecond;
  CHECK(simulate(p, m, o)[activity::stealing] == plain[activity::stealing] + 3 * 2 * microsecond);
  // Here it doesn't look.
  recorded_program const short_ones = three_forks(50 * microsecond, 95 * microsecond);
  result const first = simulate(short_ones, m, o);
  m.costs.first_theft = 0;
  CHECK(first[activity::stealing] == simulate(short_ones, m, o)[activity::stealing] + 2 * microsecond);
}

TEST_CASE("a task in another worker's group costs more, half of it at its spawn and half at its end") {
  recorded_program const p = three_forks(50 * microsecond, 95 * microsecond);
  machine m = load_machine("epyc").described;
  options o = with(2, "distance");
  result const apart = simulate(p, m, o);
  o.group_counters = true;
  result const counted = simulate(p, m, o);
  m.costs.task_away = 200 * nanosecond;
  CHECK(simulate(p, m, o)[activity::scheduling] == counted[activity::scheduling] + 3 * 100 * nanosecond);
  o.group_counters = false;
  CHECK(simulate(p, m, o).hash == apart.hash);
}

TEST_CASE("a log of occupancies costs an entry at each spawn and each task taken") {
  auto const p = make_graph("fib:n=10");
  machine const m = small_machine(steal_protocol::tbb41);
  analysis const a = analyse(*p);
  CHECK(simulate(*p, m, with(1, "logged")).makespan ==
        simulate(*p, m, with(1, "occupancy")).makespan + 2 * a.spawns * m.costs.scan_entry);
}

TEST_CASE("a wait that is over under other work is counted as buried") {
  auto const p = make_graph("swaptions:swaptions=40,batches=20");
  machine const m = load_machine("epyc").described;
  result const any = simulate(*p, m, with(16, "distance")),
               free = simulate(*p, m, with(16, "distance", wait_rule::continuation));
  CHECK(any.buried_waits > 0);
  CHECK(any.buried_time > 0);
  CHECK(free.buried_waits == 0);
  CHECK(free.makespan < any.makespan);
}

TEST_CASE("what is too large is refused") {
  machine const m = load_machine("epyc").described;
  options o = with(0, "random");
  CHECK_THROWS_AS(simulate(*make_graph("fib"), m, o), bad_input);
  o.workers = 4097;
  CHECK_THROWS_AS(simulate(*make_graph("fib"), m, o), bad_input);
  o.workers = 2;
  o.max_open_tasks = 1000;
  CHECK_THROWS_WITH_AS(simulate(*make_graph("bag:tasks=5000"), m, o),
                       "the graph has more than 1000 open tasks: too large for the memory allowed", bad_input);
  CHECK_THROWS_WITH_AS(simulate(*make_graph("fib:n=60,cutoff=59,call_ns=1000"), m, with(2, "random")),
                       "the simulated time exceeds 75 minutes", bad_input);
}
