// SPDX-License-Identifier: Apache-2.0
// The version of the loaded library.
#pragma once

#include <ashlar/base/config.h>

// The names below carry their own symbols, so that a foreign libtbb in the same process answers for itself.
#if ASHLAR_CLASSIC_DIALECT
extern "C" ASHLAR_EXPORT int TBB_runtime_interface_version() __asm__("ashlar_runtime_interface_version_classic");
#else
extern "C" ASHLAR_EXPORT int TBB_runtime_interface_version() __asm__("ashlar_runtime_interface_version");
#endif
// The text of TBB_VERSION_STRING when the library was built.
extern "C" ASHLAR_EXPORT char const* TBB_runtime_version() __asm__("ashlar_runtime_version");

namespace ashlar {
inline namespace v1 {

// The lines that TBB_VERSION=1 shows, each ending in a newline.
ASHLAR_EXPORT char const* version_banner() noexcept;
// Writes the banner to stderr when the environment says TBB_VERSION=1, once per process. The scheduler calls
// it when it starts.
ASHLAR_EXPORT void report_version() noexcept;

}  // namespace v1
}  // namespace ashlar
