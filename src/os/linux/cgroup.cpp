// SPDX-License-Identifier: Apache-2.0
// Control groups, read as cgroups(7) and proc(5) describe them.
#include "os/cgroup.h"

#include "os/text_file.h"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace ashlar::inline v1::os {
namespace cgroup {
namespace {

constexpr std::string_view default_period = "100000";

bool contains_item(std::string_view list, std::string_view item) noexcept {
  while (!list.empty()) {
    if (next_field(list, ',') == item) return true;
  }
  return false;
}

bool is_octal(char c) noexcept { return c >= '0' && c <= '7'; }

// mountinfo writes blanks, line ends and backslashes as \ooo.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && text.size() - i > 3 && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// What of `group` lies below `root` ("" or "/x/y"); nothing if it is not below.
std::optional<std::string_view> below(std::string_view group, std::string_view root) noexcept {
  if (root == "/") root = {};
  if (group == "/") group = {};
  if (group.substr(0, root.size()) != root) return std::nullopt;
  std::string_view const rest = group.substr(root.size());
  if (!rest.empty() && rest.front() != '/') return std::nullopt;
  // A group outside of the cgroup namespace is told as "/../x"; its directory is not to be seen from here.
  if (rest.substr(0, 3) == "/.." && (rest.size() == 3 || rest[3] == '/')) return std::nullopt;
  return rest;
}

// Reads one line of mountinfo; nothing unless it mounts the wanted hierarchy.
std::optional<mount> parse_mount_line(std::string_view line, version v) {
  std::size_t const dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  std::string_view second = line.substr(dash + 3);
  std::string_view const type = next_field(second, ' ');
  next_field(second, ' ');  // the source
  bool const wanted = v == version::v2 ? type == "cgroup2" : type == "cgroup" && contains_item(second, "cpu");
  if (!wanted) return std::nullopt;
  std::string_view first = line.substr(0, dash);
  for (int skipped = 0; skipped < 3; ++skipped) next_field(first, ' ');
  mount m;
  m.root = unescape(next_field(first, ' '));
  m.point = unescape(next_field(first, ' '));
  if (m.root.empty() || m.point.empty()) return std::nullopt;
  return m;
}

std::optional<unsigned> read_limit(std::string const& directory, version v) {
  if (v == version::v2) {
    auto const text = read_text_file(directory + "/cpu.max");
    return text ? parse_cpu_max(*text) : std::nullopt;
  }
  auto const quota = read_text_file(directory + "/cpu.cfs_quota_us");
  if (!quota || *quota == "-1\n") return std::nullopt;  // no limit: the period does not matter
  auto const period = read_text_file(directory + "/cpu.cfs_period_us");
  return parse_quota(*quota, period ? std::string_view(*period) : default_period);
}

std::optional<unsigned> tighter(std::optional<unsigned> a, std::optional<unsigned> b) noexcept {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// The limit of the group in `directory` and of those above it, up to the mount point.
std::optional<unsigned> limit_up_to(std::string const& root, std::string const& point, std::string directory,
                                    version v) {
  std::optional<unsigned> limit;
  for (;;) {
    limit = tighter(limit, read_limit(root + directory, v));
    if (directory.size() <= point.size()) return limit;
    directory.resize(std::max(directory.rfind('/'), point.size()));
  }
}

std::optional<unsigned> limit_from_mountinfo(std::string const& root, std::string_view groups, std::string_view mounts,
                                             version v) {
  auto const group = parse_group(groups, v);
  if (!group) return std::nullopt;
  auto const m = parse_mount(mounts, v, *group);
  return m ? limit_up_to(root, m->point, group_directory(*m, *group), v) : std::nullopt;
}

struct usual_place {
  char const* point;
  version v;
};
constexpr usual_place usual_places[] = {
    {"/sys/fs/cgroup", version::v2}, {"/sys/fs/cgroup/cpu", version::v1}, {"/sys/fs/cgroup/cpu,cpuacct", version::v1}};

}  // namespace

bool is_mounted(std::string const& path, version v) noexcept {
  struct statfs info{};
  if (::statfs(path.c_str(), &info) != 0) return false;
  return info.f_type == (v == version::v2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC);
}

std::optional<unsigned> parse_quota(std::string_view quota, std::string_view period) noexcept {
  auto const q = parse_number(quota);
  auto const p = parse_number(period);
  if (!q || !p || *q == 0 || *p == 0) return std::nullopt;
  unsigned long long const cpus = *q / *p + (*q % *p != 0 ? 1 : 0);
  constexpr unsigned long long most = std::numeric_limits<unsigned>::max();
  return static_cast<unsigned>(std::min(cpus, most));
}

std::optional<unsigned> parse_cpu_max(std::string_view text) noexcept {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::string_view const quota = next_field(text, ' ');
  return parse_quota(quota, text.empty() ? default_period : text);
}

std::optional<std::string> parse_group(std::string_view self_cgroup, version v) {
  while (!self_cgroup.empty()) {
    std::string_view line = next_field(self_cgroup, '\n');
    std::string_view const id = next_field(line, ':');
    std::string_view const controllers = next_field(line, ':');
    bool const wanted = v == version::v2 ? id == "0" && controllers.empty() : contains_item(controllers, "cpu");
    if (wanted && !line.empty() && line.front() == '/') return std::string(line);
  }
  return std::nullopt;
}

std::optional<mount> parse_mount(std::string_view mountinfo, version v, std::string_view group) {
  std::optional<mount> best;
  bool best_shows = false;
  while (!mountinfo.empty()) {
    auto m = parse_mount_line(next_field(mountinfo, '\n'), v);
    if (!m) continue;
    bool const shows = below(group, m->root).has_value();
    bool const better = !best || (shows && (!best_shows || m->root.size() > best->root.size()));
    if (!better) continue;
    best = std::move(m);
    best_shows = shows;
  }
  return best;
}

std::string group_directory(mount const& m, std::string_view group) {
  auto const rest = below(group, m.root);
  return rest ? m.point + std::string(*rest) : m.point;
}

std::optional<unsigned> cpu_limit(std::string const& root, mount_test mounted) {
  auto const groups = read_text_file(root + "/proc/self/cgroup");
  if (!groups) return std::nullopt;
  // The kernel attaches the cpu controller to one hierarchy only; a process that has a group in version 1's may have
  // one in a version 2 hierarchy without controllers.
  version const v = parse_group(*groups, version::v1) ? version::v1 : version::v2;
  auto const group = parse_group(*groups, v);
  for (usual_place const& usual : usual_places) {
    if (usual.v != v || !group || !mounted(root + usual.point, v)) continue;
    // If the group is not found, then something else than the hierarchy's root is mounted here.
    std::string const directory = group_directory({"/", usual.point}, *group);
    if (directory != usual.point && ::access((root + directory).c_str(), F_OK) != 0) break;
    return limit_up_to(root, usual.point, directory, usual.v);
  }
  auto const mounts = read_text_file(root + "/proc/self/mountinfo");
  if (!mounts) return std::nullopt;
  return tighter(limit_from_mountinfo(root, *groups, *mounts, version::v1),
                 limit_from_mountinfo(root, *groups, *mounts, version::v2));
}

}  // namespace cgroup
}  // namespace ashlar::inline v1::os
