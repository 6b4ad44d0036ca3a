// SPDX-License-Identifier: Apache-2.0
// The topology that hwloc finds, for those who ask for it. The library is loaded at run time and its header is not
// needed to build: what is used of the interface is declared here as the manual of hwloc 2 gives it, whose binary
// interface the soname libhwloc.so.15 stands for.
#include "os/topology.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace ashlar::inline v1::os {
namespace {

// hwloc_obj_type_t
enum object_type : int { package_type = 1, core_type = 2, pu_type = 3, l2_type = 5, l3_type = 6 };
constexpr int numa_node_depth = -3;              // HWLOC_TYPE_DEPTH_NUMANODE
constexpr unsigned long include_disallowed = 1;  // HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED
constexpr unsigned first_api = 0x20000;          // what hwloc_get_api_version() of 2.0 gives
constexpr unsigned next_api = 0x30000;
constexpr unsigned most_cpus = 65536;

struct any_topology;
struct any_bitmap;
using topology_ptr = any_topology*;
using bitmap_ptr = any_bitmap*;

// hwloc_obj_t, up to the last member that is used.
struct object {
  int type;
  char* subtype;
  unsigned os_index;
  char* name;
  std::uint64_t total_memory;
  void* attributes;
  int depth;
  unsigned logical_index;
  object* next_cousin;
  object* previous_cousin;
  object* parent;
  unsigned sibling_rank;
  object* next_sibling;
  object* previous_sibling;
  unsigned arity;
  object** children;
  object* first_child;
  object* last_child;
  int symmetric_subtree;
  unsigned memory_arity;
  object* memory_first_child;
  unsigned io_arity;
  object* io_first_child;
  unsigned misc_arity;
  object* misc_first_child;
  bitmap_ptr cpuset;
};

struct closer {
  void operator()(void* library) const noexcept { ::dlclose(library); }
};

struct functions {
  unsigned (*get_api_version)();
  int (*topology_init)(topology_ptr*);
  int (*topology_set_flags)(topology_ptr, unsigned long);
  int (*topology_load)(topology_ptr);
  void (*topology_destroy)(topology_ptr);
  int (*get_type_depth)(topology_ptr, int);
  object* (*get_obj_by_depth)(topology_ptr, int, unsigned);
  bitmap_ptr (*bitmap_alloc)();
  void (*bitmap_free)(bitmap_ptr);
  int (*bitmap_next)(bitmap_ptr, int);
  // From 2.4 on; null before.
  int (*cpukinds_get_nr)(topology_ptr, unsigned long);
  int (*cpukinds_get_info)(topology_ptr, unsigned, bitmap_ptr, int*, unsigned*, void**, unsigned long);

  bool find_in(void* library) noexcept {
    auto const find = [library](auto& function, char const* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      return function != nullptr;
    };
    find(cpukinds_get_nr, "hwloc_cpukinds_get_nr");
    find(cpukinds_get_info, "hwloc_cpukinds_get_info");
    return find(get_api_version, "hwloc_get_api_version") && find(topology_init, "hwloc_topology_init") &&
           find(topology_set_flags, "hwloc_topology_set_flags") && find(topology_load, "hwloc_topology_load") &&
           find(topology_destroy, "hwloc_topology_destroy") && find(get_type_depth, "hwloc_get_type_depth") &&
           find(get_obj_by_depth, "hwloc_get_obj_by_depth") && find(bitmap_alloc, "hwloc_bitmap_alloc") &&
           find(bitmap_free, "hwloc_bitmap_free") && find(bitmap_next, "hwloc_bitmap_next") &&
           get_api_version() >= first_api && get_api_version() < next_api;
  }
};

}  // namespace

// Fills the places from a loaded topology.
struct hwloc_reader {
  functions const& hwloc;
  topology_ptr machine;
  std::vector<topology::place>& places;

  template <typename F>
  void for_each_cpu(bitmap_ptr set, F const& visit) const {
    for (int cpu = hwloc.bitmap_next(set, -1); cpu >= 0; cpu = hwloc.bitmap_next(set, cpu)) {
      if (static_cast<std::size_t>(cpu) < places.size()) visit(places[static_cast<std::size_t>(cpu)]);
    }
  }

  void read_cpu(object const& cpu) const {
    if (cpu.os_index >= most_cpus) return;
    if (cpu.os_index >= places.size()) places.resize(cpu.os_index + std::size_t{1});
    topology::place& here = places[cpu.os_index];
    here.core = cpu.os_index;  // where hwloc filters cores out
    for (object const* around = cpu.parent; around != nullptr; around = around->parent) {
      auto const name = static_cast<unsigned>(hwloc.bitmap_next(around->cpuset, -1));  // its first CPU
      if (around->type == core_type) here.core = name;
      if (around->type == l2_type) here.l2 = name;
      if (around->type == l3_type) here.l3 = name;
      if (around->type == package_type) here.package = name;
    }
  }

  // Of several nodes with the same CPUs (two kinds of memory) the first one counts.
  void read_nodes() const {
    for (unsigned i = 0; object const* const node = hwloc.get_obj_by_depth(machine, numa_node_depth, i); ++i) {
      for_each_cpu(node->cpuset, [&](topology::place& p) { p.node = std::min(p.node, node->os_index); });
    }
  }

  // hwloc lists the kinds from the slowest.
  void read_kinds() const {
    for (topology::place& p : places) p.kind = 0;
    if (hwloc.cpukinds_get_nr == nullptr || hwloc.cpukinds_get_info == nullptr) return;
    bitmap_ptr const set = hwloc.bitmap_alloc();
    if (set == nullptr) return;
    int const kinds = hwloc.cpukinds_get_nr(machine, 0);
    for (int kind = 0; kind < kinds; ++kind) {
      auto const number = static_cast<unsigned>(kind);
      if (hwloc.cpukinds_get_info(machine, number, set, nullptr, nullptr, nullptr, 0) != 0) continue;
      for_each_cpu(set, [&](topology::place& p) { p.kind = number; });
    }
    hwloc.bitmap_free(set);
  }

  void read() const {
    int const depth = hwloc.get_type_depth(machine, pu_type);
    for (unsigned i = 0; object const* const cpu = hwloc.get_obj_by_depth(machine, depth, i); ++i) read_cpu(*cpu);
    read_nodes();
    read_kinds();
  }
};

std::optional<topology> topology::read_hwloc(char const* library, char const*& why) {
  // It stays mapped: it may have brought in libraries that do not bear being unloaded.
  std::unique_ptr<void, closer> const loaded(::dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
  why = "hwloc 2 (libhwloc.so.15) can't be loaded";
  functions hwloc{};
  if (loaded == nullptr || !hwloc.find_in(loaded.get())) return std::nullopt;
  why = "hwloc can't read this machine";
  topology_ptr machine = nullptr;
  if (hwloc.topology_init(&machine) != 0) return std::nullopt;
  std::unique_ptr<any_topology, void (*)(topology_ptr)> const owned(machine, hwloc.topology_destroy);
  // The CPUs that this process may not use count as well, as in sysfs.
  if (hwloc.topology_set_flags(machine, include_disallowed) != 0) return std::nullopt;
  if (hwloc.topology_load(machine) != 0) return std::nullopt;
  topology t;
  hwloc_reader{hwloc, machine, t.places_}.read();
  return t;
}

}  // namespace ashlar::inline v1::os
