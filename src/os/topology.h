// SPDX-License-Identifier: Apache-2.0
// The processors: how many this process may use, and how far apart two of them are. Any thread may call.
//
// CPUs are the numbers of the kernel (cpuN). Where the system does not tell, one package is assumed. What CPUs share is
// read from sysfs (topology.cpp) or, if ASHLAR_TOPOLOGY says so, by hwloc (topology_hwloc.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar {
inline namespace v1 {
namespace os {

// The affinity mask of the process (its first thread) and the control groups' CPU quota, rounded up: the smaller
// one, at least 1. The first call reads the system (30 to 100 us), later ones return what it found.
unsigned available_cpus() noexcept;
// Reads the system again, for those who changed the mask or the quota.
unsigned refresh_available_cpus() noexcept;

// The CPU on which the caller runs at this moment; 0 if the system does not tell.
unsigned current_cpu() noexcept;

// Those that the system runs, whoever may use them; at least 1.
unsigned processors_on_line() noexcept;
// Those in the process's affinity mask; at least 1.
unsigned affinity_cpus() noexcept;
// How many the system's quota of processor time makes up; `otherwise` if there is none.
unsigned quota_cpus(unsigned otherwise) noexcept;

// Distances, as distance() returns them.
inline constexpr unsigned same_core = 0;
inline constexpr unsigned same_l2 = 1;
inline constexpr unsigned same_l3 = 2;
inline constexpr unsigned same_node = 3;  // the same NUMA node of the same package
inline constexpr unsigned other_node = 4;

// The kernel's list form, "0-3,8": the numbers in ascending order of mention; empty if the text is no such list
// or names a number above 65535.
std::vector<unsigned> parse_cpu_list(std::string_view text);

// What each CPU shares with which others. Immutable once read.
class topology {
 public:
  static constexpr unsigned unknown = ~0u;
  // Each group is named by the number of one CPU in it, or by the system's own number.
  struct place {
    unsigned core = unknown;
    unsigned l2 = unknown;
    unsigned l3 = unknown;
    unsigned node = unknown;
    unsigned package = unknown;
    unsigned kind = unknown;  // of cores: the faster, the larger
  };

  topology() noexcept = default;
  // Reads the tree of sysfs that lies at `sysfs_root` ("/sys" on a running system). Throws std::bad_alloc.
  static topology read(std::string const& sysfs_root);
  // What hwloc 2 finds, which its own environment variables may direct elsewhere (HWLOC_XMLFILE, HWLOC_SYNTHETIC). The
  // library is loaded and stays. Nothing if that fails, and `why` says what failed. Throws std::bad_alloc.
  static std::optional<topology> read_hwloc(char const* library, char const*& why);

  // One more than the highest CPU number that may exist.
  unsigned size() const noexcept { return static_cast<unsigned>(places_.size()); }
  // All is unknown of a CPU that doesn't exist.
  place const& at(unsigned cpu) const noexcept { return cpu < size() ? places_[cpu] : nowhere; }
  unsigned distance(unsigned cpu_a, unsigned cpu_b) const noexcept;

 private:
  static place const nowhere;

  void read_cpu(std::string const& directory, unsigned cpu);
  void read_caches(std::string const& directory, unsigned cpu);
  void read_nodes(std::string const& sysfs_root);
  void read_kinds(std::string const& sysfs_root);
  void assign(std::vector<unsigned> const& cpus, unsigned place::* level, unsigned value) noexcept;

  std::vector<place> places_;
};

// The topology of this machine from the source that ASHLAR_TOPOLOGY names; sysfs where that fails, after a line on
// stderr. Without memory for it, one that knows nothing.
topology read_machine() noexcept;
// The same, read at the first call (some 80 us per core from sysfs, milliseconds by hwloc).
topology const& machine() noexcept;

// The distance on this machine.
inline unsigned distance(unsigned cpu_a, unsigned cpu_b) noexcept { return machine().distance(cpu_a, cpu_b); }

}  // namespace os
}  // namespace v1
}  // namespace ashlar
