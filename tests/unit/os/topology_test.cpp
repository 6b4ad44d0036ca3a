// SPDX-License-Identifier: Apache-2.0
#include "os/topology.h"

#include "child_process.h"
#include "file_tree.h"

#include <doctest/doctest.h>

#include <sched.h>
#include <unistd.h>

#include <string>
#include <vector>

using namespace ashlar;

namespace {

// Writes the files of sysfs that describe a machine.
class machine : public file_tree {
 public:
  explicit machine(std::string const& possible) { write("/devices/system/cpu/possible", possible + "\n"); }

  void cpu(unsigned n, std::string const& file, std::string const& text) {
    write("/devices/system/cpu/cpu" + std::to_string(n) + "/" + file, text + "\n");
  }
  void cache(unsigned n, unsigned index, unsigned level, std::string const& sharers) {
    std::string const directory = "cache/index" + std::to_string(index);
    cpu(n, directory + "/level", std::to_string(level));
    cpu(n, directory + "/shared_cpu_list", sharers);
  }
  void node(unsigned n, std::string const& cpus) {
    write("/devices/system/node/node" + std::to_string(n) + "/cpulist", cpus + "\n");
  }
  void nodes(std::string const& online) { write("/devices/system/node/online", online + "\n"); }
  os::topology read() const { return os::topology::read(root()); }
};

// Two sockets of four cores with two threads each; two cores share the second level. CPU n and n + 8 are siblings.
void two_sockets(machine& m, bool with_nodes) {
  for (unsigned n = 0; n < 16; ++n) {
    unsigned const core = n % 8;
    unsigned const pair = core / 2 * 2;
    unsigned const socket = core / 4 * 4;
    auto const both = [](unsigned from, unsigned to) {
      return std::to_string(from) + "-" + std::to_string(to) + "," + std::to_string(from + 8) + "-" +
             std::to_string(to + 8);
    };
    std::string const siblings = std::to_string(core) + "," + std::to_string(core + 8);
    m.cpu(n, "topology/core_cpus_list", siblings);
    m.cpu(n, "topology/physical_package_id", std::to_string(core / 4));
    m.cache(n, 0, 1, siblings);
    m.cache(n, 1, 1, siblings);
    m.cache(n, 2, 2, both(pair, pair + 1));
    m.cache(n, 3, 3, both(socket, socket + 3));
  }
  if (!with_nodes) return;
  m.nodes("0-1");
  m.node(0, "0-3,8-11");
  m.node(1, "4-7,12-15");
}

}  // namespace

TEST_CASE("topology: CPU lists") {
  using list = std::vector<unsigned>;
  CHECK(os::parse_cpu_list("0\n") == list{0});
  CHECK(os::parse_cpu_list("0-3,8,10-11") == list{0, 1, 2, 3, 8, 10, 11});
  CHECK(os::parse_cpu_list("65535") == list{65535});
  for (char const* bad : {"", "\n", "a", "3-1", "0-", "-3", "1,,2", "65536", "0-99999999999", "1 2", "0-3-5"}) {
    CAPTURE(std::string(bad));
    CHECK(os::parse_cpu_list(bad).empty());
  }
}

TEST_CASE("topology: two sockets with sibling threads") {
  for (bool with_nodes : {true, false}) {
    machine m("0-15");
    two_sockets(m, with_nodes);
    os::topology const t = m.read();
    CHECK(t.size() == 16);
    CHECK(t.distance(5, 5) == os::same_core);
    CHECK(t.distance(0, 8) == os::same_core);
    CHECK(t.distance(0, 1) == os::same_l2);
    CHECK(t.distance(8, 1) == os::same_l2);
    CHECK(t.distance(0, 2) == os::same_l3);
    CHECK(t.distance(11, 0) == os::same_l3);
    CHECK(t.distance(3, 4) == os::other_node);
    CHECK(t.distance(0, 15) == os::other_node);
    for (unsigned a = 0; a < 16; ++a) {
      for (unsigned b = 0; b < 16; ++b) CHECK(t.distance(a, b) == t.distance(b, a));
    }
  }
}

TEST_CASE("topology: nodes within one package are apart, packages within one node too") {
  machine m("0-5");
  for (unsigned n = 0; n < 6; ++n) {
    m.cpu(n, "topology/core_cpus_list", std::to_string(n));
    m.cpu(n, "topology/physical_package_id", n < 4 ? "0" : "1");
  }
  m.nodes("0,2");
  m.node(0, "0-1,4");
  m.node(2, "2-3");
  os::topology const t = m.read();
  CHECK(t.distance(0, 1) == os::same_node);
  CHECK(t.distance(2, 3) == os::same_node);
  CHECK(t.distance(1, 2) == os::other_node);
  CHECK(t.distance(0, 4) == os::other_node);
  CHECK(t.distance(4, 5) == os::same_node);  // cpu5 is in no node; its package tells
}

TEST_CASE("topology: big and little clusters without a third level") {
  machine m("0-7");
  for (unsigned n = 0; n < 8; ++n) {
    m.cpu(n, "topology/core_cpus_list", std::to_string(n));
    m.cpu(n, "topology/physical_package_id", "-1");
    m.cache(n, 0, 1, std::to_string(n));
    m.cache(n, 1, 1, std::to_string(n));
    m.cache(n, 2, 2, n < 4 ? "0-3" : "4-7");
  }
  os::topology const t = m.read();
  CHECK(t.distance(0, 3) == os::same_l2);
  CHECK(t.distance(4, 7) == os::same_l2);
  CHECK(t.distance(3, 4) == os::same_node);
}

TEST_CASE("topology: clusters stand in for caches that are not told of; old kernels name the siblings otherwise") {
  machine m("0-3");
  for (unsigned n = 0; n < 4; ++n) {
    m.cpu(n, "topology/cluster_cpus_list", n < 2 ? "0-1" : "2-3");
    m.cpu(n, "topology/thread_siblings_list", n < 2 ? std::to_string(n) : "2-3");
  }
  os::topology const t = m.read();
  CHECK(t.distance(0, 1) == os::same_l2);
  CHECK(t.distance(2, 3) == os::same_core);
  CHECK(t.distance(1, 2) == os::same_node);
}

TEST_CASE("topology: CPUs that are off line or beyond what is known") {
  machine m("0-3");
  m.cpu(0, "topology/core_cpus_list", "0");
  m.cache(0, 0, 3, "0,2");
  m.cpu(2, "topology/core_cpus_list", "2,9");  // a list that names more than may exist
  os::topology const t = m.read();
  CHECK(t.size() == 4);
  CHECK(t.distance(0, 2) == os::same_l3);
  CHECK(t.distance(0, 1) == os::same_node);
  CHECK(t.distance(1, 3) == os::same_node);
  CHECK(t.distance(1, 1) == os::same_core);
  CHECK(t.distance(0, 1000) == os::same_node);
  CHECK(t.distance(1000, 1000) == os::same_core);
}

TEST_CASE("topology: no tree at all") {
  file_tree empty;
  os::topology const t = os::topology::read(empty.root());
  CHECK(t.size() == 0);
  CHECK(t.distance(0, 1) == os::same_node);
}

TEST_CASE("topology: this machine") {
  long const configured = ::sysconf(_SC_NPROCESSORS_CONF);
  unsigned const cpus = os::available_cpus();
  CHECK(cpus >= 1);
  CHECK(cpus <= static_cast<unsigned>(configured));
  CHECK(os::available_cpus() == cpus);
  CHECK(os::current_cpu() < 65536);
  CHECK(os::distance(os::current_cpu(), os::current_cpu()) == os::same_core);
  CHECK(os::distance(0, 1) <= os::other_node);
}

TEST_CASE("topology: a smaller affinity mask is seen after a refresh") {
  os::available_cpus();
  CHECK(exit_code_of_child([] {
          unsigned const before = os::available_cpus();
          cpu_set_t one;
          CPU_ZERO(&one);
          CPU_SET(static_cast<int>(os::current_cpu()), &one);
          if (::sched_setaffinity(0, sizeof(one), &one) != 0) return 2;
          if (os::available_cpus() != before) return 3;
          return os::refresh_available_cpus() == 1 && os::available_cpus() == 1 ? 0 : 4;
        }) == 0);
}
