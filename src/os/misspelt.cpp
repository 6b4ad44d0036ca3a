// SPDX-License-Identifier: Apache-2.0
#include "os/misspelt.h"

#include "base/nearest_name.h"
#include "os/process.h"

#include <cstdio>
#include <iterator>
#include <string_view>

namespace ashlar::inline v1::os {

namespace {

using std::string_view;

constexpr string_view prefix = "ASHLAR_";
constexpr string_view allocators = "MALLOC_STATS";
// Without the prefix.
constexpr string_view ours[] = {"NUM_THREADS", "VICTIM_POLICY", "IDLE_POLICY",  "WAIT_POLICY", "TOPOLOGY",
                                "STATS",       "HANG_REPORT",   "HANG_SIGNAL",  "FLOW_DOT",    "TRACE",
                                "TRACE_LIMIT", "RTM",           "STACK_REPORT", allocators};

}  // namespace

void tell_misspelt_variables() noexcept {
  for (char** entry = environment_entries(); entry != nullptr && *entry != nullptr; ++entry) {
    string_view name(*entry);
    if (name.substr(0, prefix.size()) != prefix) continue;
    name = name.substr(prefix.size(), name.find('=') - prefix.size());
    string_view const nearest = nearest_name(name, std::begin(ours), std::end(ours));
    // The allocator tells of what is near its own.
    if (nearest.empty() || nearest == name || nearest == allocators) continue;
    std::fprintf(stderr, "ashlar: ASHLAR_%.*s is no variable of ours and has no effect; is ASHLAR_%.*s meant?\n",
                 static_cast<int>(name.size()), name.data(), static_cast<int>(nearest.size()), nearest.data());
  }
}

}  // namespace ashlar::inline v1::os
