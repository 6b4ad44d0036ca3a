// SPDX-License-Identifier: Apache-2.0
// The version whose entry points are all here: programs ask for it before they use newer ones.
#include <ashlar/base/config.h>

extern "C" ASHLAR_EXPORT int TBB_runtime_interface_version() { return 12200; }
extern "C" ASHLAR_EXPORT char const* TBB_runtime_version() { return "2023.2.0"; }
