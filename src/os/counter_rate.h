// SPDX-License-Identifier: Apache-2.0
// What the hardware tells about the processor's counter (ashlar/os/ticks.h).
//
// On x86 the crystal clock leaf of CPUID is exact on bare metal only (a hypervisor may scale the counter and pass
// the leaf through), and in a virtual machine only the hypervisor's own timing leaf is.
#pragma once

namespace ashlar {
inline namespace v1 {
namespace os {

// Ticks per nanosecond, 0 if the hardware does not tell or is not to be believed.
double rate_from_hardware() noexcept;

}  // namespace os
}  // namespace v1
}  // namespace ashlar
