// SPDX-License-Identifier: Apache-2.0
#include "os/cgroup.h"

#include "file_tree.h"

#include <doctest/doctest.h>

#include <limits>

using namespace ashlar;
namespace cg = ashlar::os::cgroup;

namespace {

constexpr char const* v1_groups =
    "12:memory:/docker/abc\n"
    "5:cpuset:/\n"
    "4:cpu,cpuacct:/docker/abc\n"
    "1:name=systemd:/docker/abc\n"
    "0::/system.slice/docker.service\n";

constexpr char const* v2_line = "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr char const* v1_line = "33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:15 - cgroup cgroup rw,cpu,cpuacct\n";
constexpr char const* other_lines =
    "22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
    "34 32 0:30 / /sys/fs/cgroup/cpuset rw shared:16 - cgroup cgroup rw,cpuset\n"
    "35 32 0:31 / /sys/fs/cgroup/cpuacct rw shared:17 - cgroup cgroup rw,cpuacct\n"
    "90 28 8:1 / / rw - ext4 /dev/sda1 rw\n";

}  // namespace

TEST_CASE("cgroup: quotas become whole CPUs, rounded up") {
  CHECK(cg::parse_quota("200000", "100000") == 2u);
  CHECK(cg::parse_quota("150000\n", "100000\n") == 2u);
  CHECK(cg::parse_quota("200001", "100000") == 3u);
  CHECK(cg::parse_quota("1000", "100000") == 1u);
  CHECK(cg::parse_quota("50000", "25000") == 2u);
  CHECK(cg::parse_quota("18446744073709551615", "1") == std::numeric_limits<unsigned>::max());
  for (char const* none : {"-1", "max", "0", "", "many"}) CHECK_FALSE(cg::parse_quota(none, "100000"));
  CHECK_FALSE(cg::parse_quota("100000", "0"));
  CHECK_FALSE(cg::parse_quota("100000", "-1"));
}

TEST_CASE("cgroup: cpu.max") {
  CHECK_FALSE(cg::parse_cpu_max("max 100000\n"));
  CHECK_FALSE(cg::parse_cpu_max("max\n"));
  CHECK(cg::parse_cpu_max("150000 100000\n") == 2u);
  CHECK(cg::parse_cpu_max("400000 100000") == 4u);
  CHECK(cg::parse_cpu_max("250000\n") == 3u);
  CHECK_FALSE(cg::parse_cpu_max(""));
  CHECK_FALSE(cg::parse_cpu_max("\n"));
  CHECK_FALSE(cg::parse_cpu_max("150000 100000 3\n"));
}

TEST_CASE("cgroup: the group of the process") {
  CHECK(cg::parse_group(v1_groups, cg::version::v1) == "/docker/abc");
  CHECK(cg::parse_group(v1_groups, cg::version::v2) == "/system.slice/docker.service");
  CHECK(cg::parse_group("0::/a:b/c\n", cg::version::v2) == "/a:b/c");
  CHECK_FALSE(cg::parse_group("0::/only/v2\n", cg::version::v1));
  CHECK_FALSE(cg::parse_group("2:cpuset:/x\n3:cpuacct:/y\n", cg::version::v1));
  CHECK_FALSE(cg::parse_group("1:name=systemd:/x\n", cg::version::v2));
  CHECK_FALSE(cg::parse_group("", cg::version::v2));
  CHECK_FALSE(cg::parse_group("garbage", cg::version::v1));
}

TEST_CASE("cgroup: mounts") {
  std::string const info = std::string(other_lines) + v1_line + v2_line;
  auto const v1 = cg::parse_mount(info, cg::version::v1, "/docker/abc");
  REQUIRE(v1);
  CHECK(v1->root == "/");
  CHECK(v1->point == "/sys/fs/cgroup/cpu,cpuacct");
  auto const v2 = cg::parse_mount(info, cg::version::v2, "/x");
  REQUIRE(v2);
  CHECK(v2->point == "/sys/fs/cgroup");
  CHECK_FALSE(cg::parse_mount(other_lines, cg::version::v1, "/"));
  CHECK_FALSE(cg::parse_mount(other_lines, cg::version::v2, "/"));
  CHECK_FALSE(cg::parse_mount("", cg::version::v2, "/"));
  CHECK_FALSE(cg::parse_mount("1 2 3 - cgroup2 x rw\n - cgroup2", cg::version::v2, "/"));
}

TEST_CASE("cgroup: of several mounts the one that shows the group best counts") {
  std::string const info =
      "40 1 0:27 /other /a rw - cgroup2 c rw\n"
      "41 1 0:27 / /b rw - cgroup2 c rw\n"
      "42 1 0:27 /docker /c rw - cgroup2 c rw\n"
      "43 1 0:27 /dock /d rw - cgroup2 c rw\n";
  CHECK(cg::parse_mount(info, cg::version::v2, "/docker/abc")->point == "/c");
  CHECK(cg::parse_mount(info, cg::version::v2, "/docker")->point == "/c");
  CHECK(cg::parse_mount(info, cg::version::v2, "/dockers")->point == "/b");
  CHECK(cg::parse_mount(info, cg::version::v2, "/other/x")->point == "/a");
  CHECK(cg::parse_mount("40 1 0:27 /other /a rw - cgroup2 c rw", cg::version::v2, "/x")->point == "/a");
}

TEST_CASE("cgroup: escaped mount points") {
  auto const m = cg::parse_mount("40 1 0:27 / /my\\040cgroup\\134x rw - cgroup2 c rw\n", cg::version::v2, "/");
  REQUIRE(m);
  CHECK(m->point == "/my cgroup\\x");
  CHECK(cg::parse_mount("40 1 0:27 / /odd\\04 rw - cgroup2 c rw\n", cg::version::v2, "/")->point == "/odd\\04");
}

TEST_CASE("cgroup: what of a group lies below the root of a mount") {
  CHECK(cg::part_below("/", "/a/b") == "/a/b");
  CHECK(cg::part_below("/", "/") == "");
  CHECK(cg::part_below("/a", "/a/b") == "/b");
  CHECK(cg::part_below("/a", "/a") == "");
  CHECK(cg::part_below("/a", "/ab") == "");
  CHECK(cg::part_below("/", "/../../b") == "");
  CHECK(cg::part_below("/", "/..b") == "/..b");
}

TEST_CASE("cgroup: version 2, the tightest of the nested groups counts") {
  file_tree tree;
  tree.write("/proc/self/cgroup", "0::/top/middle/leaf\n");
  tree.write("/proc/self/mountinfo", std::string(other_lines) + v2_line);
  tree.write("/sys/fs/cgroup/top/middle/leaf/cpu.max", "max 100000\n");
  CHECK_FALSE(cg::cpu_limit(tree.root()));
  tree.write("/sys/fs/cgroup/top/cpu.max", "600000 100000\n");
  CHECK(cg::cpu_limit(tree.root()) == 6u);
  tree.write("/sys/fs/cgroup/top/middle/cpu.max", "150000 100000\n");
  CHECK(cg::cpu_limit(tree.root()) == 2u);
  tree.write("/sys/fs/cgroup/top/middle/leaf/cpu.max", "300000 100000\n");
  CHECK(cg::cpu_limit(tree.root()) == 2u);
  tree.write("/sys/fs/cgroup/top/middle/leaf/cpu.max", "50000 100000\n");
  CHECK(cg::cpu_limit(tree.root()) == 1u);
}

TEST_CASE("cgroup: a container sees its own group as the root") {
  file_tree tree;
  tree.write("/proc/self/cgroup", "0::/\n");
  tree.write("/proc/self/mountinfo", v2_line);
  tree.write("/sys/fs/cgroup/cpu.max", "250000 100000\n");
  CHECK(cg::cpu_limit(tree.root()) == 3u);
}

TEST_CASE("cgroup: a container without a namespace of its own mounts its group from the middle") {
  file_tree tree;
  tree.write("/proc/self/cgroup", v1_groups);
  tree.write("/proc/self/mountinfo", "33 32 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n");
  tree.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
  tree.write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(cg::cpu_limit(tree.root()) == 4u);
}

TEST_CASE("cgroup: version 1") {
  file_tree tree;
  tree.write("/proc/self/cgroup", v1_groups);
  tree.write("/proc/self/mountinfo", std::string(v1_line) + other_lines);
  std::string const base = "/sys/fs/cgroup/cpu,cpuacct";
  tree.write(base + "/docker/abc/cpu.cfs_quota_us", "-1\n");
  tree.write(base + "/docker/abc/cpu.cfs_period_us", "100000\n");
  CHECK_FALSE(cg::cpu_limit(tree.root()));
  tree.write(base + "/docker/cpu.cfs_quota_us", "175000\n");
  tree.write(base + "/docker/cpu.cfs_period_us", "50000\n");
  CHECK(cg::cpu_limit(tree.root()) == 4u);
  tree.write(base + "/docker/abc/cpu.cfs_quota_us", "300000\n");
  CHECK(cg::cpu_limit(tree.root()) == 3u);
}

TEST_CASE("cgroup: both versions at once, the tighter one counts") {
  file_tree tree;
  tree.write("/proc/self/cgroup", "4:cpu:/a\n0::/b\n");
  tree.write("/proc/self/mountinfo", "1 2 0:1 / /one rw - cgroup c rw,cpu\n2 2 0:2 / /two rw - cgroup2 c rw\n");
  tree.write("/one/a/cpu.cfs_quota_us", "500000\n");
  CHECK(cg::cpu_limit(tree.root()) == 5u);
  tree.write("/two/b/cpu.max", "200000 100000\n");
  CHECK(cg::cpu_limit(tree.root()) == 2u);
  tree.write("/one/a/cpu.cfs_quota_us", "100000\n");
  CHECK(cg::cpu_limit(tree.root()) == 1u);
}

TEST_CASE("cgroup: the usual mount points make mountinfo unnecessary") {
  auto const unified = [](char const* path, cg::version v) noexcept {
    return v == cg::version::v2 && std::string_view(path).ends_with("/sys/fs/cgroup");
  };
  auto const joint = [](char const* path, cg::version v) noexcept {
    return v == cg::version::v1 && std::string_view(path).ends_with("/sys/fs/cgroup/cpu,cpuacct");
  };
  file_tree tree;
  tree.write("/proc/self/cgroup", "4:cpu,cpuacct:/a/b\n0::/c/d\n");
  tree.write("/sys/fs/cgroup/c/d/cpu.max", "max 100000\n");
  tree.write("/sys/fs/cgroup/c/cpu.max", "300000 100000\n");
  tree.write("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "700000\n");
  CHECK(cg::cpu_limit(tree.root(), joint) == 7u);
  tree.write("/proc/self/cgroup", "0::/c/d\n");  // no hierarchy of version 1 has the cpu controller
  CHECK(cg::cpu_limit(tree.root(), unified) == 3u);
}

TEST_CASE("cgroup: a usual mount point that shows something else does not mislead") {
  auto const unified = [](char const* path, cg::version v) noexcept {
    return v == cg::version::v2 && std::string_view(path).ends_with("/sys/fs/cgroup");
  };
  file_tree tree;
  tree.write("/proc/self/cgroup", "0::/docker/abc\n");
  tree.write("/proc/self/mountinfo", "33 32 0:29 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  tree.write("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  CHECK(cg::cpu_limit(tree.root(), unified) == 4u);
  // A group above the namespace: what is visible counts.
  tree.write("/proc/self/cgroup", "0::/../x\n");
  CHECK(cg::cpu_limit(tree.root(), unified) == 4u);
}

TEST_CASE("cgroup: the test for mounts") {
  CHECK_FALSE(cg::is_mounted("/proc", cg::version::v1));
  CHECK_FALSE(cg::is_mounted("/proc", cg::version::v2));
  CHECK_FALSE(cg::is_mounted("/does/not/exist", cg::version::v2));
}

TEST_CASE("cgroup: nothing to read is no limit") {
  file_tree tree;
  CHECK_FALSE(cg::cpu_limit(tree.root()));
  tree.write("/proc/self/cgroup", "0::/a\n");
  CHECK_FALSE(cg::cpu_limit(tree.root()));
  tree.write("/proc/self/mountinfo", v2_line);
  CHECK_FALSE(cg::cpu_limit(tree.root()));
}

TEST_CASE("cgroup: a group whose path is too long has no limit, and a long list of groups is read whole") {
  file_tree tree;
  auto const unified = [](char const* path, cg::version v) noexcept {
    return v == cg::version::v2 && std::string_view(path).ends_with("/sys/fs/cgroup");
  };
  std::string others;
  for (int i = 2; i < 500; ++i) others += std::to_string(i) + ":name=some:/other\n";
  tree.write("/proc/self/cgroup", others + "0::/a\n");
  tree.write("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  CHECK(cg::cpu_limit(tree.root(), unified) == 2u);
  std::string deep;
  while (deep.size() < 5000) deep += "/group";
  tree.write("/proc/self/cgroup", "0::" + deep + "\n");
  CHECK_FALSE(cg::cpu_limit(tree.root(), unified));
}
