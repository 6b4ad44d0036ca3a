// SPDX-License-Identifier: Apache-2.0
// Control groups, read as cgroups(7) and proc(5) describe them.
#include "os/cgroup.h"

#include "os/text_file.h"

#include <limits.h>
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

// A path that is put together without the heap. One that is too long is no path: it becomes empty, and stays so.
class path_text {
 public:
  path_text(std::string_view root, std::string_view directory) noexcept {
    append(root);
    append(directory);
  }
  void append(std::string_view more) noexcept {
    whole_ = whole_ && more.size() < sizeof text_ - size_;
    if (!whole_) return cut(0);
    std::copy(more.begin(), more.end(), text_ + size_);
    cut(size_ + more.size());
  }
  void cut(std::size_t size) noexcept {
    size_ = whole_ ? size : 0;
    text_[size_] = '\0';
  }
  std::string_view view() const noexcept { return {text_, size_}; }
  char const* c_str() const noexcept { return text_; }

 private:
  char text_[PATH_MAX];
  std::size_t size_ = 0;
  bool whole_ = true;
};

// One of a directory's files that hold a line of numbers; nothing if there is none.
struct short_file {
  short_file(path_text& directory, std::string_view name) noexcept {
    std::size_t const size = directory.view().size();
    directory.append(name);
    contents = read_text_file(directory.c_str(), place, sizeof place);
    directory.cut(size);
  }
  char place[64];
  std::optional<std::string_view> contents;
};

std::optional<unsigned> read_limit(path_text& directory, version v) noexcept {
  if (v == version::v2) {
    short_file const max(directory, "/cpu.max");
    return max.contents ? parse_cpu_max(*max.contents) : std::nullopt;
  }
  short_file const quota(directory, "/cpu.cfs_quota_us");
  if (!quota.contents || *quota.contents == "-1\n") return std::nullopt;  // no limit: the period does not matter
  return parse_quota(*quota.contents, short_file(directory, "/cpu.cfs_period_us").contents.value_or(default_period));
}

std::optional<unsigned> tighter(std::optional<unsigned> a, std::optional<unsigned> b) noexcept {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// The limit of the group in `directory` and of those above it, up to the mount point, whose path has `top` characters.
std::optional<unsigned> limit_up_to(std::size_t top, path_text& directory, version v) noexcept {
  std::optional<unsigned> limit;
  for (;;) {
    limit = tighter(limit, read_limit(directory, v));
    std::string_view const path = directory.view();
    if (path.size() <= top) return limit;
    directory.cut(std::max(path.rfind('/'), top));
  }
}

std::optional<unsigned> limit_from_mountinfo(std::string const& root, std::string_view groups, std::string_view mounts,
                                             version v) {
  auto const group = parse_group(groups, v);
  if (!group) return std::nullopt;
  auto const m = parse_mount(mounts, v, *group);
  if (!m) return std::nullopt;
  path_text directory(root, m->point);
  std::size_t const top = directory.view().size();
  directory.append(part_below(m->root, *group));
  return limit_up_to(top, directory, v);
}

struct usual_place {
  char const* point;
  version v;
};
constexpr usual_place usual_places[] = {
    {"/sys/fs/cgroup", version::v2}, {"/sys/fs/cgroup/cpu", version::v1}, {"/sys/fs/cgroup/cpu,cpuacct", version::v1}};

}  // namespace

bool is_mounted(char const* path, version v) noexcept {
  struct statfs info{};
  if (::statfs(path, &info) != 0) return false;
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

std::optional<std::string_view> parse_group(std::string_view self_cgroup, version v) noexcept {
  while (!self_cgroup.empty()) {
    std::string_view line = next_field(self_cgroup, '\n');
    std::string_view const id = next_field(line, ':');
    std::string_view const controllers = next_field(line, ':');
    bool const wanted = v == version::v2 ? id == "0" && controllers.empty() : contains_item(controllers, "cpu");
    if (wanted && !line.empty() && line.front() == '/') return line;
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

std::string_view part_below(std::string_view root, std::string_view group) noexcept {
  return below(group, root).value_or(std::string_view());
}

// Nothing if the hierarchy does not lie in its usual place.
static std::optional<std::optional<unsigned>> limit_in_usual_place(std::string_view root, std::string_view group,
                                                                   version v, mount_test mounted) noexcept {
  for (usual_place const& usual : usual_places) {
    path_text directory(root, usual.point);
    if (usual.v != v || !mounted(directory.c_str(), v)) continue;
    std::size_t const top = directory.view().size();
    directory.append(part_below("/", group));
    // If the group is not found, then something else than the hierarchy's root is mounted here.
    if (directory.view().size() != top && ::access(directory.c_str(), F_OK) != 0) break;
    return limit_up_to(top, directory, v);
  }
  return std::nullopt;
}

std::optional<unsigned> cpu_limit(std::string const& root, mount_test mounted) {
  char place[4096];
  std::string long_text;
  auto groups = read_text_file(path_text(root, "/proc/self/cgroup").c_str(), place, sizeof place);
  if (!groups) {
    auto text = read_text_file(root + "/proc/self/cgroup");
    if (!text) return std::nullopt;
    long_text = *std::move(text);
    groups = long_text;
  }
  // The kernel attaches the cpu controller to one hierarchy only; a process that has a group in version 1's may have
  // one in a version 2 hierarchy without controllers.
  version const v = parse_group(*groups, version::v1) ? version::v1 : version::v2;
  if (auto const group = parse_group(*groups, v)) {
    if (auto const limit = limit_in_usual_place(root, *group, v, mounted)) return *limit;
  }
  auto const mounts = read_text_file(root + "/proc/self/mountinfo");
  if (!mounts) return std::nullopt;
  return tighter(limit_from_mountinfo(root, *groups, *mounts, version::v1),
                 limit_from_mountinfo(root, *groups, *mounts, version::v2));
}

}  // namespace cgroup
}  // namespace ashlar::inline v1::os
