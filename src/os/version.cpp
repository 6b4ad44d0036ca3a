// SPDX-License-Identifier: Apache-2.0
// Version functions and the banner. ASHLAR_VERSION comes from CMakeLists.txt.
#include <ashlar/os/version.h>

#include "base/version_lines.h"
#include "os/process.h"

#include <ashlar/base/atomic.h>

#include <cstdio>

namespace {

constexpr ashlar::version_text banner = [] {
  ashlar::version_text all = ashlar::version_lines("oneTBB");
  all.put("oneTBB: IMPLEMENTATION\tAshlar " ASHLAR_VERSION "\n");
  return all;
}();

constexpr int classic_interface_version = 11102;

ashlar::atomic<int> reported{0};

}  // namespace

extern "C" {

int TBB_runtime_interface_version() { return TBB_INTERFACE_VERSION; }

char const* TBB_runtime_version() { return TBB_VERSION_STRING; }

ASHLAR_EXPORT int ashlar_runtime_interface_version_classic() { return classic_interface_version; }

}  // extern "C"

namespace ashlar {
inline namespace v1 {

char const* version_banner() noexcept { return banner.text; }

void report_version() noexcept {
  bool const asked = version_is_asked_for(os::trusted_variable(version_variable));
  if (asked && reported.exchange(1, mo::relaxed) == 0) std::fputs(banner.text, stderr);
}

}  // namespace v1
}  // namespace ashlar
