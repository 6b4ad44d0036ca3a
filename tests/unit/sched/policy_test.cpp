// SPDX-License-Identifier: Apache-2.0
// Every policy computes the same results; bad names are refused.
#include "support/death.h"
#include "support/eventually.h"
#include "support/thread_team.h"

#include "sched/arena/arena.h"
#include "sched/policy/policies.h"
#include "sched/policy/victim.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <ashlar/sched/core/statistics.h>
#include <ashlar/sched/policy/policy.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace ashlar::sched;

namespace {

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

long group_tree(int depth) {
  if (depth == 0) return 1;
  std::atomic<long> sum{0};
  tbb::task_group group;
  for (int i = 0; i < 3; ++i) group.run([&] { sum += group_tree(depth - 1); });
  group.wait();
  return sum;
}

long nested_loops() {
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 50,
                    [&](int i) { tbb::parallel_for(0, 50, [&](int j) { sum += i * j; }, tbb::simple_partitioner()); });
  return sum;
}

long reduction() {
  return tbb::parallel_reduce(
      tbb::blocked_range<long>(0, 100000), 0L,
      [](tbb::blocked_range<long> const& r, long s) {
        for (long i = r.begin(); i < r.end(); ++i) s += i;
        return s;
      },
      [](long a, long b) { return a + b; });
}

void run_programs() {
  REQUIRE(fib(18) == 2584);
  REQUIRE(group_tree(6) == 729);
  REQUIRE(nested_loops() == 1225L * 1225L);
  REQUIRE(reduction() == 4999950000L);
}

// Sums are exact once no worker is in the arena.
void settle() {
  tbb::parallel_for(0, 1, [](int) {});
  ashlar::sched::arena& a = ashlar::sched::this_slot().home();
  while (a.active.load(ashlar::mo::relaxed) != 0) std::this_thread::yield();
}

// What a child prints that reads this setting, and what it then uses.
test::death with_variable(char const* name, char const* value, char const* expected, char const* (*get)()) {
  // A program of its own would be read anew; the policies of this one are read already, so they are read again.
  return test::run_in_child([&] {
    setenv(name, value, 1);
    policies fresh;
    fresh.read_environment();
    policies& p = policies::get();
    p.victim.store(fresh.victim.load(ashlar::mo::relaxed), ashlar::mo::relaxed);
    p.idle.store(fresh.idle.load(ashlar::mo::relaxed), ashlar::mo::relaxed);
    p.wait.store(fresh.wait.load(ashlar::mo::relaxed), ashlar::mo::relaxed);
    _exit(std::strcmp(get(), expected) == 0 ? 0 : 1);
  });
}

}  // namespace

TEST_CASE("all policies give the same results") {
  test::thread_team const limit(4);
  for (char const* victim : victim_policy_names) {
    for (char const* idle : idle_policy_names) {
      for (char const* wait : wait_policy_names) {
        CAPTURE(victim);
        CAPTURE(idle);
        CAPTURE(wait);
        REQUIRE(set_victim_policy(victim));
        REQUIRE(set_idle_policy(idle));
        REQUIRE(set_wait_policy(wait));
        REQUIRE(std::strcmp(get_victim_policy(), victim) == 0);
        REQUIRE(std::strcmp(get_idle_policy(), idle) == 0);
        REQUIRE(std::strcmp(get_wait_policy(), wait) == 0);
        run_programs();
      }
    }
  }
  set_victim_policy("by_size");
  set_idle_policy("park");
  set_wait_policy("any");
}

TEST_CASE("an unknown policy is refused and changes nothing") {
  CHECK_FALSE(set_victim_policy("nearest"));
  CHECK_FALSE(set_idle_policy(""));
  CHECK_FALSE(set_wait_policy("Any"));
  CHECK(std::string(get_victim_policy()) == "by_size");
  CHECK(std::string(get_idle_policy()) == "park");
  CHECK(std::string(get_wait_policy()) == "any");
}

TEST_CASE("the environment chooses policies") {
  CHECK(with_variable("ASHLAR_VICTIM_POLICY", "hybrid", "hybrid", get_victim_policy).code == 0);
  CHECK(with_variable("ASHLAR_IDLE_POLICY", "spin", "spin", get_idle_policy).code == 0);
  CHECK(with_variable("ASHLAR_WAIT_POLICY", "leapfrog", "leapfrog", get_wait_policy).code == 0);
}

TEST_CASE("a bad value prints one line and the default stays") {
  test::death const d = with_variable("ASHLAR_VICTIM_POLICY", "fastest", "by_size", get_victim_policy);
  CHECK(d.code == 0);
  CHECK(std::count(d.errors.begin(), d.errors.end(), '\n') == 1);
  CHECK(d.errors.find("ASHLAR_VICTIM_POLICY") != std::string::npos);
  CHECK(d.errors.find("fastest") != std::string::npos);
}

TEST_CASE("counters tell what happened, and times are measured only while observed") {
  test::thread_team const limit(4);
  observe_statistics(false);
  settle();
  reset_statistics();
  run_programs();
  scheduler_statistics const off = read_statistics();
  CHECK(off.spawned == 0);
  CHECK(off.executed == 0);
  CHECK(off.spawn_ticks + off.get_task_ticks + off.steal_ticks + off.wait_ticks + off.acquire_queue_ticks == 0);

  settle();
  observe_statistics(true);
  reset_statistics();
  // A half that certainly is stolen while its owner waits, and then outlives the owner's patience: again if the owner,
  // on a busy machine, came to its wait too late.
  for (int i = 0; i < 50 && read_statistics().wait_ticks == 0; ++i) {
    std::atomic<bool> begun{false}, left{false};
    tbb::parallel_invoke(
        [&] {
          while (!begun) std::this_thread::yield();
          left = true;
        },
        [&] {
          begun = true;
          CHECK(test::eventually([&] { return left && read_statistics().parks >= 1; }));
          test::eventually([start = std::chrono::steady_clock::now()] {
            return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(2);
          });
        });
  }
  tbb::task_group group;
  for (int i = 0; i < 1000; ++i) group.run([] {});
  group.wait();
  settle();
  scheduler_statistics const on = read_statistics();
  observe_statistics(false);
  CHECK(on.spawned >= 1001);
  CHECK(on.spawned < 1100);
  CHECK(on.executed >= 1001);
  CHECK(on.executed <= on.spawned);
  CHECK(on.stolen >= 1);
  CHECK(on.stolen <= on.executed);
  CHECK(on.parks >= 1);
  CHECK(on.spawn_ticks > 0);
  CHECK(on.steal_ticks > 0);
  CHECK(on.acquire_queue_ticks > 0);
  CHECK(on.acquire_queue_ticks <= on.steal_ticks);
  CHECK(on.wait_ticks > 0);

  reset_statistics();
  run_programs();
  scheduler_statistics const again = read_statistics();
  CHECK(again.spawned == 0);
  CHECK(again.steal_ticks + again.wait_ticks == 0);
}

namespace {

// 64 slots, of which all but the neighbours are equally far.
struct counted_view {
  unsigned* asked;
  unsigned size() const { return 64; }
  unsigned self() const { return 5; }
  long occupancy(unsigned) const { return 0; }
  bool visited(unsigned) const { return false; }
  unsigned distance(unsigned i) const {
    ++*asked;
    return i / 8 == 0 ? 2 : 4;
  }
  std::uint32_t random() const { return 17; }
};

}  // namespace

TEST_CASE("a round by distance meets each victim once, near ones first, and sweeps only for distances that exist") {
  unsigned asked = 0;
  counted_view const view{&asked};
  ashlar::sched::victim_selector victims;
  std::vector<unsigned> met;
  for (unsigned v; (v = victims.next(ashlar::sched::victim_policy::distance, view)) != victims.none;) met.push_back(v);
  REQUIRE(met.size() == 63);
  CHECK(std::all_of(met.begin(), met.begin() + 7, [](unsigned v) { return v < 8; }));
  std::sort(met.begin(), met.end());
  CHECK(std::adjacent_find(met.begin(), met.end()) == met.end());
  CHECK(asked <= 3 * 63);  // for none, for 2, for 4
}

namespace {

// So many slots with one job more in each than in the one before; thieves are at some of them.
struct filled_view {
  std::vector<bool> at;
  unsigned size() const { return static_cast<unsigned>(at.size()); }
  unsigned self() const { return 0; }
  long occupancy(unsigned i) const { return i; }
  bool visited(unsigned i) const { return at[i]; }
  unsigned distance(unsigned i) const { return i; }
  std::uint32_t random() const { return 3; }
};

unsigned first_choice(victim_policy policy, filled_view const& view) {
  return ashlar::sched::victim_selector().next(policy, view);
}

}  // namespace

TEST_CASE("a thief chooses the fullest deque that no other thief visits") {
  filled_view view{std::vector<bool>(20)};
  CHECK(first_choice(victim_policy::occupancy, view) == 19);
  view.at[19] = view.at[18] = true;
  CHECK(first_choice(victim_policy::occupancy, view) == 17);
  CHECK(first_choice(victim_policy::hybrid, view) == 17);
}

TEST_CASE("a visitor that does not come to an end hides a deque for some rounds only") {
  filled_view const view{std::vector<bool>(20, true)};
  victim_selector victims;
  unsigned rounds = 0;
  while (rounds < 1000 && victims.next(victim_policy::occupancy, view) == victims.none) ++rounds;
  CHECK(rounds == 31);  // fewer than a thread makes before it sleeps
  static_assert(31 < idle_state::crowded_rounds);
  CHECK_FALSE(victims.minds_visits());
  victims.stolen(19);
  CHECK(victims.minds_visits());
  CHECK(victims.next(victim_policy::occupancy, view) == victims.none);
}

TEST_CASE("the default goes by distance in small arenas and by occupancy in large ones") {
  filled_view const small{std::vector<bool>(victim_selector::large - 1)},
      large{std::vector<bool>(victim_selector::large)};
  CHECK(first_choice(victim_policy::by_size, small) == first_choice(victim_policy::distance, small));
  CHECK(first_choice(victim_policy::by_size, large) == victim_selector::large - 1);
  CHECK(first_choice(victim_policy::distance, large) == 1);
  CHECK_FALSE(victim_selector::announces_visits(victim_policy::by_size, victim_selector::large - 1));
  CHECK(victim_selector::announces_visits(victim_policy::by_size, victim_selector::large));
}
