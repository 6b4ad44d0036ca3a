// SPDX-License-Identifier: Apache-2.0
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include "os/cpu_sets.h"
#include "sched/api/constraints.h"
#include "sched/arena/arena.h"
#include "sched/market/market.h"

#include <ashlar/sched/arena/arena_handle.h>

#include <support/again.h>
#include <support/death.h>

#include <doctest/doctest.h>

#include <sched.h>
#include <stdlib.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace os = ashlar::os;

namespace {

// Of the tree in 'groups of processors': nodes {1, 2, 3} and {4, 6, 7}; 6 and 7 are the slow ones.
void check_constraints(ashlar::sched::machine_view const& m) {
  using ashlar::sched::constrained_cpus;
  using constraints = tbb::task_arena::constraints;
  using cpus = std::vector<unsigned>;
  CHECK(constrained_cpus(constraints(1), m) == cpus{4, 6, 7});
  CHECK(constrained_cpus(constraints().set_core_type(0), m) == cpus{6, 7});
  CHECK(constrained_cpus(constraints(1).set_core_type(1), m) == cpus{4});
  CHECK(constrained_cpus(constraints().set_core_type(ashlar::sched::several_core_types | 3), m) == m.allowed);
  CHECK(constrained_cpus(constraints().set_core_type(ashlar::sched::several_core_types | 1), m) == cpus{6, 7});
  CHECK(constrained_cpus(constraints(0).set_max_threads_per_core(1), m) == cpus{1, 2});
  CHECK(constrained_cpus(constraints(7), m) == m.allowed);  // there is no such node
}

// Where the calling thread may run.
std::vector<unsigned> mine() {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  std::vector<unsigned> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<unsigned> of_a_worker(ashlar::sched::arena& a) {
  std::vector<unsigned> cpus;
  std::atomic<bool> done{false};
  ashlar::sched::enqueue_function(
      a,
      [&] {
        cpus = mine();
        done = true;
      },
      1);
  while (!done) std::this_thread::yield();
  return cpus;
}

}  // namespace

TEST_CASE("info describes the machine in terms that arenas accept") {
  int const most = tbb::info::default_concurrency();
  CHECK(most >= 1);
  CHECK(tbb::info::default_concurrency(tbb::task_arena::automatic) == most);
  REQUIRE_FALSE(tbb::info::numa_nodes().empty());
  for (tbb::numa_node_id node : tbb::info::numa_nodes()) {
    int const threads = tbb::info::default_concurrency(node);
    CHECK(threads >= 1);
    CHECK(threads <= most);
  }
  REQUIRE_FALSE(tbb::info::core_types().empty());
  tbb::task_arena::constraints c;
  c.set_core_type(tbb::info::core_types().back()).set_max_threads_per_core(1);
  CHECK(tbb::task_arena(c).max_concurrency() == tbb::info::default_concurrency(c));
  CHECK(tbb::info::default_concurrency(c.set_max_concurrency(1)) == 1);
  int asked = 0;
  int const all = tbb::info::default_concurrency(tbb::task_arena::constraints(), [&](std::tuple<int, int, int> type) {
    CHECK(std::get<1>(type) == asked++);
    return 1;
  });
  CHECK(all >= 1);
  CHECK(all <= most);
  auto arenas = tbb::create_numa_task_arenas();
  REQUIRE(arenas.size() == tbb::info::numa_nodes().size());
  CHECK(arenas.front().execute([] { return 3; }) == 3);
}

TEST_CASE("groups of processors are read from sysfs") {
  std::string root = (std::filesystem::temp_directory_path() / "ashlar-sysfs-XXXXXX").string();
  REQUIRE(::mkdtemp(root.data()) != nullptr);
  auto const write = [&](std::string const& name, char const* text) {
    std::filesystem::path const file = root + "/devices/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  };
  write("system/cpu/possible", "0-11");
  write("system/node/online", "0-2");
  write("system/node/node0/cpulist", "0-3");
  write("system/node/node1/cpulist", "4-7");
  write("system/node/node2/cpulist", "8-11");
  write("cpu_atom/cpus", "6-7");
  for (int cpu = 0; cpu < 8; cpu += 2) {
    std::string const pair = std::to_string(cpu) + "-" + std::to_string(cpu + 1);
    write("system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list", pair.c_str());
    write("system/cpu/cpu" + std::to_string(cpu + 1) + "/topology/thread_siblings_list", pair.c_str());
  }
  std::vector<unsigned> const allowed{1, 2, 3, 4, 6, 7};
  os::topology const machine = os::topology::read(root);
  auto const nodes = os::numa_groups(machine, allowed);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].id == 0);
  CHECK(nodes[0].cpus == std::vector<unsigned>{1, 2, 3});
  CHECK(nodes[1].cpus == std::vector<unsigned>{4, 6, 7});
  auto const kinds = os::core_kinds(machine, allowed);
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].cpus == std::vector<unsigned>{6, 7});
  CHECK(os::limited_per_core(machine, allowed, 1) == std::vector<unsigned>{1, 2, 4, 6});
  CHECK(os::limited_per_core(machine, allowed, 2) == allowed);
  check_constraints(ashlar::sched::machine_view(machine, allowed));
  os::topology const unknown = os::topology::read(root + "/nothing");
  CHECK(os::numa_groups(unknown, allowed).empty());
  CHECK(os::core_kinds(unknown, allowed).size() == 1);
  CHECK(os::limited_per_core(unknown, allowed, 1) == allowed);
  std::filesystem::remove_all(root);
}

TEST_CASE("a program that counts its nodes (run by the test of ASHLAR_TOPOLOGY)" * doctest::skip()) {
  auto const nodes = tbb::info::numa_nodes();
  auto arenas = tbb::create_numa_task_arenas();
  CHECK(arenas.size() == nodes.size());
  for (auto& a : arenas) CHECK(a.execute([] { return 3; }) == 3);
  std::fprintf(stderr, "%zu nodes", nodes.size());
}

TEST_CASE("ASHLAR_TOPOLOGY=hwloc: info and the arenas of nodes follow hwloc") {
  char const* why = nullptr;
  if (!os::topology::read_hwloc("libhwloc.so.15", why)) {
    MESSAGE("skipped: " << why);
    return;
  }
  // One node for each CPU.
  unsigned const cpus = mine().back() + 1;
  test::death const end = test::run_in_child([cpus] {
    setenv("ASHLAR_TOPOLOGY", "hwloc", 1);
    setenv("HWLOC_SYNTHETIC", ("numa:" + std::to_string(cpus) + " pu:1").c_str(), 1);
    test::start_again({"--no-skip", "--out=/dev/null", "--test-case=a program that counts*"});
  });
  CHECK(end.code == 0);
  CHECK(end.errors == std::to_string(mine().size()) + " nodes");
}

TEST_CASE("threads in a bound arena run on its processors, and get their own back") {
  using ashlar::sched::arena;
  std::vector<unsigned> const own = mine();
  std::vector<unsigned> const first{own.front()};
  std::vector<unsigned> const last{own.back()};
  arena& a = arena::create(2, {}, first);
  arena& b = arena::create(2, {}, last);
  arena& free = arena::create(2, {});
  ashlar::sched::call_in_arena(a, [&] {
    CHECK(mine() == first);
    ashlar::sched::call_in_arena(b, [&] { CHECK(mine() == last); });
    CHECK(mine() == first);
    ashlar::sched::call_in_arena(free, [&] {
      CHECK(mine() == first);
      ashlar::sched::call_in_arena(b, [&] { CHECK(mine() == last); });
      CHECK(mine() == first);
    });
    CHECK(mine() == first);
  });
  CHECK(mine() == own);
  CHECK(of_a_worker(a) == first);
  CHECK(of_a_worker(b) == last);
  CHECK(of_a_worker(free) == own);
  for (arena* x : {&a, &b, &free}) ashlar::sched::market::get().abandon(*x);
}

TEST_CASE("a selector chooses core types") {
  using tbb::task_arena;
  auto const fastest = [](std::tuple<tbb::core_type_id, std::size_t, std::size_t> type) {
    return std::get<1>(type) + 1 == std::get<2>(type) ? 1 : -1;
  };
  auto const none = [](auto const&) { return -1; };
  task_arena::constraints c;
  c.set_core_type(task_arena::selectable);
  task_arena::constraints best;
  best.set_core_type(tbb::info::core_types().back());
  task_arena a(c, fastest, 1, task_arena::priority::high);
  CHECK(a.max_concurrency() == tbb::info::default_concurrency(best));
  CHECK(a.execute([] { return 5; }) == 5);
  CHECK(tbb::info::default_concurrency(c, fastest) == a.max_concurrency());
  CHECK(tbb::info::default_concurrency(c, none) == tbb::info::default_concurrency());
  task_arena later;
  later.initialize(c, fastest);
  CHECK(later.is_active());
  CHECK(later.max_concurrency() == a.max_concurrency());
  // A number in the second place is that of reserved slots.
  task_arena plain(task_arena::constraints(task_arena::automatic, 3), 2);
  CHECK(plain.max_concurrency() == 3);
  // Constraints that name a core type keep it.
  int asked = 0;
  best.set_max_concurrency(2);
  task_arena named(best, [&](auto const&) { return ++asked; });
  CHECK(asked == 0);
}
