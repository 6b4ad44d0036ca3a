// SPDX-License-Identifier: Apache-2.0
// Processors of a Linux system, from sched_getaffinity, the control groups and sysfs.
#include "os/topology.h"

#include "os/cgroup.h"
#include "os/environment.h"
#include "os/text_file.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ashlar::inline v1::os {
namespace {

// More than any kernel supports; a bound for what a broken file can make us allocate.
constexpr unsigned max_cpus = 65536;

std::vector<unsigned> read_cpu_list(std::string const& path) {
  auto const text = read_text_file(path);
  return text ? parse_cpu_list(*text) : std::vector<unsigned>();
}

// In the order of topology_names.
enum class source : std::size_t { sysfs, hwloc };
constexpr char const* topology_names[] = {"sysfs", "hwloc"};

}  // namespace

unsigned processors_on_line() noexcept {
  long const online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<unsigned>(online) : 1;
}

// The kernel refuses a mask that is smaller than its own, so the mask grows until it is taken.
unsigned affinity_cpus() noexcept {
  for (int cpus = CPU_SETSIZE; cpus <= static_cast<int>(max_cpus); cpus *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(cpus);
    if (mask == nullptr) break;
    std::size_t const size = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(size, mask);
    bool const read = ::sched_getaffinity(::getpid(), size, mask) == 0;
    bool const larger_needed = !read && errno == EINVAL;
    int const count = read ? CPU_COUNT_S(size, mask) : 0;
    CPU_FREE(mask);
    if (count > 0) return static_cast<unsigned>(count);
    if (!larger_needed) break;
  }
  return processors_on_line();
}

// Without memory for the files there is no quota to know of.
unsigned quota_cpus(unsigned otherwise) noexcept {
  try {
    return cgroup::cpu_limit("").value_or(otherwise);
  } catch (...) {
    return otherwise;
  }
}

unsigned current_cpu() noexcept {
  int const cpu = ::sched_getcpu();
  return cpu < 0 ? 0 : static_cast<unsigned>(cpu);
}

std::vector<unsigned> parse_cpu_list(std::string_view text) {
  std::vector<unsigned> cpus;
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  while (!text.empty()) {
    std::string_view range = next_field(text, ',');
    bool const single = range.find('-') == std::string_view::npos;
    auto const first = parse_number(next_field(range, '-'));
    auto const last = single ? first : parse_number(range);
    if (!first || !last || *last >= max_cpus || *first > *last) return {};
    for (auto cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<unsigned>(cpu));
  }
  return cpus;
}

void topology::assign(std::vector<unsigned> const& cpus, unsigned place::* level, unsigned value) noexcept {
  for (unsigned cpu : cpus) {
    if (cpu < places_.size()) places_[cpu].*level = value;
  }
}

// The cache directories are index0, index1, ... without a gap. Each lists the CPUs that share it, so a CPU whose
// caches another one has told of is not asked again.
void topology::read_caches(std::string const& directory, unsigned cpu) {
  for (unsigned index = 0; places_[cpu].l2 == unknown || places_[cpu].l3 == unknown; ++index) {
    std::string const cache = directory + "/cache/index" + std::to_string(index);
    auto const text = read_text_file(cache + "/level");
    if (!text) return;
    auto const level = parse_number(*text);
    if (level != 2u && level != 3u) continue;
    std::vector<unsigned> const sharers = read_cpu_list(cache + "/shared_cpu_list");
    assign(sharers, *level == 2 ? &place::l2 : &place::l3, cpu);
  }
}

void topology::read_cpu(std::string const& directory, unsigned cpu) {
  std::string const info = directory + "/topology/";
  if (places_[cpu].core == unknown) {
    std::vector<unsigned> siblings = read_cpu_list(info + "core_cpus_list");
    if (siblings.empty()) siblings = read_cpu_list(info + "thread_siblings_list");  // kernels before 5.3
    assign(siblings, &place::core, cpu);
  }
  if (places_[cpu].package == unknown) {
    auto const text = read_text_file(info + "physical_package_id");
    auto const package = text ? parse_number(*text) : std::nullopt;  // -1 where the firmware tells none
    if (package && *package < unknown) places_[cpu].package = static_cast<unsigned>(*package);
  }
  read_caches(directory, cpu);
  // Where the caches are not told of, a cluster is the set of cores that share the second level.
  if (places_[cpu].l2 == unknown) assign(read_cpu_list(info + "cluster_cpus_list"), &place::l2, cpu);
}

void topology::read_nodes(std::string const& sysfs_root) {
  std::string const nodes = sysfs_root + "/devices/system/node";
  for (unsigned node : read_cpu_list(nodes + "/online")) {
    assign(read_cpu_list(nodes + "/node" + std::to_string(node) + "/cpulist"), &place::node, node);
  }
}

// Arm tells a capacity; hybrid x86 lists the slower kind.
void topology::read_kinds(std::string const& sysfs_root) {
  for (place& p : places_) p.kind = 1;
  assign(read_cpu_list(sysfs_root + "/devices/cpu_atom/cpus"), &place::kind, 0);
  for (unsigned cpu = 0; cpu < size(); ++cpu) {
    auto const text = read_text_file(sysfs_root + "/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity");
    auto const capacity = text ? parse_number(*text) : std::nullopt;
    if (capacity && *capacity < unknown) places_[cpu].kind = static_cast<unsigned>(*capacity);
  }
}

topology topology::read(std::string const& sysfs_root) {
  topology t;
  std::string const cpus = sysfs_root + "/devices/system/cpu";
  std::vector<unsigned> const possible = read_cpu_list(cpus + "/possible");
  if (possible.empty()) return t;
  t.places_.resize(*std::max_element(possible.begin(), possible.end()) + std::size_t{1});
  for (unsigned cpu : possible) t.read_cpu(cpus + "/cpu" + std::to_string(cpu), cpu);
  t.read_nodes(sysfs_root);
  t.read_kinds(sysfs_root);
  return t;
}

topology read_machine() noexcept {
  try {
    auto const choice = env_choice("ASHLAR_TOPOLOGY", topology_names);
    if (choice == static_cast<std::size_t>(source::hwloc)) {
      char const* why = nullptr;
      if (auto found = topology::read_hwloc("libhwloc.so.15", why)) return *std::move(found);
      env_ignored("ASHLAR_TOPOLOGY", why);
    }
    return topology::read("/sys");
  } catch (...) {
    return topology();
  }
}

}  // namespace ashlar::inline v1::os
