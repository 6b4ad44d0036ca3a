// SPDX-License-Identifier: Apache-2.0
// What CPUs share, which hwloc finds for those who ask for it.
#include "os/topology.h"

#include "os/environment.h"

namespace ashlar::inline v1::os {

namespace {

#ifdef __APPLE__
constexpr char const* library = "libhwloc.15.dylib";
#else
constexpr char const* library = "libhwloc.so.15";
#endif
// There is no sysfs: without hwloc nothing is known.
enum class source : std::size_t { sysfs, hwloc };
constexpr char const* topology_names[] = {"sysfs", "hwloc"};

}  // namespace

topology read_machine() noexcept {
  try {
    auto const choice = env_choice("ASHLAR_TOPOLOGY", topology_names);
    if (choice == static_cast<std::size_t>(source::hwloc)) {
      char const* why = nullptr;
      if (auto found = topology::read_hwloc(library, why)) return *std::move(found);
      env_ignored("ASHLAR_TOPOLOGY", why);
    }
  } catch (...) {  // without memory for it nothing is known
  }
  return topology();
}

}  // namespace ashlar::inline v1::os
