// SPDX-License-Identifier: Apache-2.0
// ASHLAR_FLOW_DOT: each wait for a graph leaves a drawing of it in a file.
#include "os/environment.h"

#include <ashlar/flow/graph_core.h>

#include <cinttypes>
#include <cstdio>
#include <new>
#include <string>

namespace ashlar::flow {

namespace {

char const* const file = os::env_text("ASHLAR_FLOW_DOT");

}  // namespace

void graph_core::draw_waits() noexcept {
  draws_waits_ = file != nullptr;
  counts_messages_.store(draws_waits_, mo::relaxed);
}

// Under a name of its own first: waits of other graphs end at the same time.
void graph_core::draw_to_file() noexcept {
  try {
    char suffix[40];
    std::snprintf(suffix, sizeof suffix, ".%" PRIxPTR, reinterpret_cast<std::uintptr_t>(this));
    std::string const whole = std::string(file) + suffix;
    std::FILE* const to = std::fopen(whole.c_str(), "we");
    bool written = to != nullptr;
    if (written) {
      dot(to);
      written = std::ferror(to) == 0;
      written = std::fclose(to) == 0 && written && std::rename(whole.c_str(), file) == 0;
    }
    if (written) return;
    os::env_ignored("ASHLAR_FLOW_DOT", "the file can't be written");
    draws_waits_ = false;
  } catch (std::bad_alloc const&) {
    // The next wait draws it.
  }
}

}  // namespace ashlar::flow
