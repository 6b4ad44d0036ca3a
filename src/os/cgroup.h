// SPDX-License-Identifier: Apache-2.0
// How many CPUs' worth of time the control groups of this process allow it: version 1 (cpu.cfs_quota_us), version
// 2 (cpu.max), and both at once; the tightest group from the process's own up to the visible root counts.
//
// The parsers are pure; cpu_limit() does the reading. Any thread may call; std::bad_alloc may be thrown. Nothing is
// allocated where the hierarchies lie in their usual places: an idle thread looks again and again (allowance.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ashlar {
inline namespace v1 {
namespace os {
namespace cgroup {

enum class version : unsigned char { v1, v2 };

// Microseconds of CPU time per period of wall time as whole CPUs, rounded up, at least 1. Nothing stands for
// "no limit", which "max", "-1" and text that makes no sense give.
std::optional<unsigned> parse_quota(std::string_view quota, std::string_view period) noexcept;
// The same from a cpu.max file: "quota period", where a missing period means 100 ms.
std::optional<unsigned> parse_cpu_max(std::string_view text) noexcept;

// The group of the process as /proc/self/cgroup tells it: for version 1 in the hierarchy of the cpu controller.
std::optional<std::string_view> parse_group(std::string_view self_cgroup, version v) noexcept;

// Where a hierarchy is mounted: `root` is the group that is seen at the directory `point`.
struct mount {
  std::string root;
  std::string point;
};
// From /proc/self/mountinfo: the mount that shows `group` best (its root is the longest prefix of it); any mount
// of that hierarchy if none shows it.
std::optional<mount> parse_mount(std::string_view mountinfo, version v, std::string_view group);

// What of the path of `group` comes after m.point, where m.root is `root`; nothing if it lies outside of what is
// mounted.
std::string_view part_below(std::string_view root, std::string_view group) noexcept;

// Whether a hierarchy of that version (the cpu controller's, if 1) has its root directory at `path`.
using mount_test = bool (*)(char const* path, version v) noexcept;
bool is_mounted(char const* path, version v) noexcept;

// The limit of this process. `root` is put before every path that is read; "" for the real system. The usual
// mount points are tried before mountinfo is read, which takes the kernel longer than all the rest.
std::optional<unsigned> cpu_limit(std::string const& root, mount_test mounted = is_mounted);

}  // namespace cgroup
}  // namespace os
}  // namespace v1
}  // namespace ashlar
