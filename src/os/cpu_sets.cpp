// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_sets.h"

#include "os/text_file.h"
#include "os/topology.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace ashlar {
inline namespace v1 {
namespace os {

namespace {

std::vector<unsigned> read_list(std::string const& path) {
  auto const text = read_text_file(path);
  if (!text) return {};
  std::string_view view = *text;
  while (!view.empty() && view.back() == '\n') view.remove_suffix(1);
  std::vector<unsigned> list = parse_cpu_list(view);
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<unsigned> common(std::vector<unsigned> const& a, std::vector<unsigned> const& b) {
  std::vector<unsigned> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

std::string cpu_file(std::string const& sysfs_root, unsigned cpu, char const* name) {
  return sysfs_root + "/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + name;
}

}  // namespace

namespace {

std::vector<unsigned> cpus_of(pid_t thread) {
  std::vector<unsigned> list;
  for (int cpus = CPU_SETSIZE; cpus <= 65536; cpus *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(static_cast<std::size_t>(cpus));
    if (mask == nullptr) break;
    std::size_t const size = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(size, mask);
    bool const read = ::sched_getaffinity(thread, size, mask) == 0;
    for (int i = 0; read && i < cpus; ++i) {
      if (CPU_ISSET_S(static_cast<std::size_t>(i), size, mask)) list.push_back(static_cast<unsigned>(i));
    }
    CPU_FREE(mask);
    if (read) break;
  }
  return list;
}

}  // namespace

std::vector<unsigned> allowed_cpus() { return cpus_of(::getpid()); }

cpu_mask::cpu_mask(std::vector<unsigned> const& cpus) {
  constexpr unsigned width = 8 * sizeof(unsigned long);
  for (unsigned cpu : cpus) {
    if (cpu / width >= bits_.size()) bits_.resize(cpu / width + 1);
    bits_[cpu / width] |= 1ul << cpu % width;
  }
}

cpu_mask cpu_mask::of_this_thread() { return cpu_mask(cpus_of(0)); }

bool cpu_mask::apply() const noexcept {
  return !bits_.empty() && ::sched_setaffinity(0, bits_.size() * sizeof bits_[0],
                                               reinterpret_cast<cpu_set_t const*>(bits_.data())) == 0;
}

std::vector<cpu_group> numa_groups(std::string const& sysfs_root, std::vector<unsigned> const& allowed) {
  std::vector<cpu_group> groups;
  for (unsigned node : read_list(sysfs_root + "/devices/system/node/online")) {
    auto const cpus = read_list(sysfs_root + "/devices/system/node/node" + std::to_string(node) + "/cpulist");
    cpu_group g{static_cast<int>(node), common(cpus, allowed)};
    if (!g.cpus.empty()) groups.push_back(std::move(g));
  }
  return groups;
}

std::vector<cpu_group> core_kinds(std::string const& sysfs_root, std::vector<unsigned> const& allowed) {
  // Arm tells a capacity; hybrid x86 lists the two kinds.
  std::map<unsigned long long, std::vector<unsigned>> kinds;
  auto const small = read_list(sysfs_root + "/devices/cpu_atom/cpus");
  for (unsigned cpu : allowed) {
    unsigned long long speed = std::binary_search(small.begin(), small.end(), cpu) ? 0 : 1;
    if (auto const text = read_text_file(cpu_file(sysfs_root, cpu, "cpu_capacity"))) {
      speed = parse_number(*text).value_or(speed);
    }
    kinds[speed].push_back(cpu);
  }
  std::vector<cpu_group> groups;
  for (auto& [speed, cpus] : kinds) groups.push_back({static_cast<int>(groups.size()), std::move(cpus)});
  return groups;
}

std::vector<unsigned> limited_per_core(std::string const& sysfs_root, std::vector<unsigned> const& cpus,
                                       unsigned per_core) {
  std::map<unsigned, unsigned> threads;  // by the first CPU of the core
  std::vector<unsigned> kept;
  for (unsigned cpu : cpus) {
    auto const siblings = read_list(cpu_file(sysfs_root, cpu, "topology/thread_siblings_list"));
    if (++threads[siblings.empty() ? cpu : siblings.front()] <= per_core) kept.push_back(cpu);
  }
  return kept;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
