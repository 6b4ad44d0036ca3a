// SPDX-License-Identifier: Apache-2.0
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include "os/cpu_sets.h"

#include <doctest/doctest.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

namespace os = ashlar::os;

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
  auto const nodes = os::numa_groups(root, allowed);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].id == 0);
  CHECK(nodes[0].cpus == std::vector<unsigned>{1, 2, 3});
  CHECK(nodes[1].cpus == std::vector<unsigned>{4, 6, 7});
  auto const kinds = os::core_kinds(root, allowed);
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].cpus == std::vector<unsigned>{6, 7});
  CHECK(os::limited_per_core(root, allowed, 1) == 4);
  CHECK(os::limited_per_core(root, allowed, 2) == 6);
  CHECK(os::numa_groups(root + "/nothing", allowed).empty());
  CHECK(os::core_kinds(root + "/nothing", allowed).size() == 1);
  std::filesystem::remove_all(root);
}
