// SPDX-License-Identifier: Apache-2.0
// hwloc as the source of the topology, on this machine and on machines that hwloc makes up. Without libhwloc only what
// happens then is tested.
#include "child_process.h"
#include "file_tree.h"
#include "os/cpu_sets.h"
#include "os/topology.h"

#include <support/death.h>

#include <doctest/doctest.h>

#if __has_include(<hwloc.h>) && __has_include(<hwloc/autogen/config.h>)  // the second is the target processor's
#include <hwloc.h>
#endif

#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

using namespace ashlar;

namespace {

using cpus = std::vector<unsigned>;

// A variable of the environment, for a while.
class variable {
 public:
  variable(char const* name, std::string const& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  variable(variable const&) = delete;
  variable& operator=(variable const&) = delete;
  ~variable() { ::unsetenv(name_); }

 private:
  char const* name_;
};

std::optional<os::topology> by_hwloc() {
  char const* why = nullptr;
  std::optional<os::topology> t = os::topology::read_hwloc("libhwloc.so.15", why);
  if (!t) MESSAGE("skipped: " << why);
  return t;
}

cpus first(unsigned n) {
  cpus list(n);
  std::iota(list.begin(), list.end(), 0u);
  return list;
}

std::vector<cpus> members(std::vector<os::cpu_group> const& groups) {
  std::vector<cpus> lists;
  for (os::cpu_group const& g : groups) lists.push_back(g.cpus);
  return lists;
}

// A machine of two packages, one of slow and one of fast cores, in the form that hwloc stores.
constexpr char const* two_kinds = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0xf" complete_cpuset="0xf" allowed_cpuset="0xf" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0xf" complete_cpuset="0xf" nodeset="0x1" complete_nodeset="0x1" gp_index="2" local_memory="1024"/>
    <object type="Package" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="3">
      <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="4">
        <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="5"/>
      </object>
      <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="6">
        <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="7"/>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0xc" complete_cpuset="0xc" nodeset="0x1" complete_nodeset="0x1" gp_index="8">
      <object type="Core" os_index="0" cpuset="0x4" complete_cpuset="0x4" nodeset="0x1" complete_nodeset="0x1" gp_index="9">
        <object type="PU" os_index="2" cpuset="0x4" complete_cpuset="0x4" nodeset="0x1" complete_nodeset="0x1" gp_index="10"/>
      </object>
      <object type="Core" os_index="1" cpuset="0x8" complete_cpuset="0x8" nodeset="0x1" complete_nodeset="0x1" gp_index="11">
        <object type="PU" os_index="3" cpuset="0x8" complete_cpuset="0x8" nodeset="0x1" complete_nodeset="0x1" gp_index="12"/>
      </object>
    </object>
  </object>
  <cpukind cpuset="0x5" forced_efficiency="7"/>
  <cpukind cpuset="0xa" forced_efficiency="2"/>
</topology>
)";

}  // namespace

TEST_CASE("hwloc: a library that isn't there, or isn't hwloc, gives nothing and the reason") {
  for (char const* const library : {"libashlar-nowhere.so.1", "libc.so.6"}) {
    char const* why = nullptr;
    CHECK_FALSE(os::topology::read_hwloc(library, why));
    REQUIRE(why != nullptr);
    CHECK(std::string(why) == "hwloc 2 (libhwloc.so.15) can't be loaded");
  }
}

TEST_CASE("hwloc: agrees with sysfs about this machine") {
  auto const found = by_hwloc();
  if (!found) return;
  os::topology const sysfs = os::topology::read("/sys");
  cpus const allowed = os::allowed_cpus();
  for (unsigned a : allowed) {
    for (unsigned b : allowed) CHECK(found->distance(a, b) == sysfs.distance(a, b));
  }
  // Without NUMA in the kernel sysfs lists no node; hwloc always has one.
  if (!os::numa_groups(sysfs, allowed).empty()) {
    CHECK(members(os::numa_groups(*found, allowed)) == members(os::numa_groups(sysfs, allowed)));
  }
  CHECK(members(os::core_kinds(*found, allowed)) == members(os::core_kinds(sysfs, allowed)));
  CHECK(os::limited_per_core(*found, allowed, 1) == os::limited_per_core(sysfs, allowed, 1));
}

TEST_CASE("hwloc: two packages of two nodes, threads and caches shared in pairs") {
  variable const made_up("HWLOC_SYNTHETIC", "package:2 numa:2 l3:1 l2:2 core:2 pu:2");
  auto const t = by_hwloc();
  if (!t) return;
  CHECK(t->size() == 32);
  CHECK(t->distance(0, 1) == os::same_core);
  CHECK(t->distance(0, 2) == os::same_l2);
  CHECK(t->distance(0, 4) == os::same_l3);
  CHECK(t->distance(0, 8) == os::other_node);
  CHECK(t->distance(15, 16) == os::other_node);
  auto const nodes = os::numa_groups(*t, first(32));
  REQUIRE(nodes.size() == 4);
  CHECK(nodes[3].id == 3);
  CHECK(nodes[3].cpus == cpus{24, 25, 26, 27, 28, 29, 30, 31});
  CHECK(os::numa_groups(*t, {0, 9}).size() == 2);  // only nodes with a CPU that may be used
  CHECK(os::core_kinds(*t, first(32)).size() == 1);
  CHECK(os::limited_per_core(*t, first(8), 1) == cpus{0, 2, 4, 6});
  CHECK(os::limited_per_core(*t, first(8), 2) == first(8));
}

TEST_CASE("hwloc: a node may hold several packages, and numbers need not be in order") {
  variable const made_up("HWLOC_SYNTHETIC", "numa:1 package:2 core:2(indexes=2,0,3,1) pu:1(indexes=3,1,2,0)");
  auto const t = by_hwloc();
  if (!t) return;
  CHECK(t->size() == 4);
  CHECK(t->distance(3, 1) == os::same_node);
  CHECK(t->distance(3, 2) == os::other_node);  // another package
  CHECK(members(os::numa_groups(*t, first(4))) == std::vector<cpus>{first(4)});
  CHECK(os::limited_per_core(*t, first(4), 1) == first(4));
}

TEST_CASE("hwloc: kinds of cores, the slower ones first") {
  file_tree files;
  files.write("/machine.xml", two_kinds);
  variable const made_up("HWLOC_XMLFILE", files.root() + "/machine.xml");
  auto const t = by_hwloc();
  if (!t) return;
  CHECK(t->size() == 4);
  CHECK(members(os::core_kinds(*t, first(4))) == std::vector<cpus>{{1, 3}, {0, 2}});
  CHECK(members(os::core_kinds(*t, {0, 2})) == std::vector<cpus>{{0, 2}});
  CHECK(t->distance(0, 1) == os::same_node);
  CHECK(t->distance(0, 2) == os::other_node);
}

TEST_CASE("ASHLAR_TOPOLOGY: sysfs is the default; a bad value gives it with one line") {
  test::death const quiet = test::run_in_child([] {
    variable const made_up("HWLOC_SYNTHETIC", "numa:3 pu:1000");
    bool const same = os::read_machine().size() == os::topology::read("/sys").size();
    variable const chosen("ASHLAR_TOPOLOGY", "SysFS");
    _exit(same && os::read_machine().size() == os::topology::read("/sys").size() ? 0 : 1);
  });
  CHECK(quiet.code == 0);
  CHECK(quiet.errors.empty());
  test::death const bad = test::run_in_child([] {
    variable const chosen("ASHLAR_TOPOLOGY", "lstopo");
    _exit(os::read_machine().size() == os::topology::read("/sys").size() ? 0 : 1);
  });
  CHECK(bad.code == 0);
  CHECK(bad.errors == "ashlar: ASHLAR_TOPOLOGY=\"lstopo\" is ignored: expected sysfs or hwloc\n");
}

TEST_CASE("ASHLAR_TOPOLOGY=hwloc: hwloc's machine, or sysfs after one line if there is no hwloc") {
  bool const there = by_hwloc().has_value();
  test::death const chosen = test::run_in_child([there] {
    variable const made_up("HWLOC_SYNTHETIC", "numa:3 pu:1000");
    variable const hwloc("ASHLAR_TOPOLOGY", "hwloc");
    unsigned const expected = there ? 3000 : os::topology::read("/sys").size();
    _exit(os::read_machine().size() == expected ? 0 : 1);
  });
  CHECK(chosen.code == 0);
  CHECK(chosen.errors == (there ? ""
                                : "ashlar: ASHLAR_TOPOLOGY=\"hwloc\" is ignored: "
                                  "hwloc 2 (libhwloc.so.15) can't be loaded\n"));
}

#ifdef HWLOC_API_VERSION
TEST_CASE("hwloc: what we declare of its interface is what its header says") {
  static_assert(HWLOC_OBJ_PACKAGE == 1 && HWLOC_OBJ_CORE == 2 && HWLOC_OBJ_PU == 3);
  static_assert(HWLOC_OBJ_L2CACHE == 5 && HWLOC_OBJ_L3CACHE == 6);
  static_assert(HWLOC_TYPE_DEPTH_NUMANODE == -3 && HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED == 1);
  CHECK(offsetof(hwloc_obj, os_index) == 16);
  CHECK(offsetof(hwloc_obj, parent) == 72);
  CHECK(offsetof(hwloc_obj, cpuset) == 184);
}
#endif
