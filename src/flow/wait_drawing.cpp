// SPDX-License-Identifier: Apache-2.0
// ASHLAR_FLOW_DOT: each wait for a graph leaves a drawing of it in a file.
#include "os/environment.h"

#include <ashlar/flow/graph_core.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

namespace ashlar::flow {

namespace {

char const* const file = os::env_text("ASHLAR_FLOW_DOT");

// Under a name of its own first: waits of other graphs end at the same time. False: the file can't be written.
bool draw_anew(graph_core& g) {
  std::string fresh = std::string(file) + ".XXXXXX";
  int const fd = mkostemp(fresh.data(), O_CLOEXEC);
  if (fd < 0) return false;
  std::FILE* const to = fdopen(fd, "w");
  if (to == nullptr) {
    close(fd);
    unlink(fresh.c_str());
    return false;
  }
  bool written;
  try {
    g.dot(to);
    written = std::ferror(to) == 0;
  } catch (std::bad_alloc const&) {
    std::fclose(to);
    unlink(fresh.c_str());
    return true;  // the next wait draws it
  }
  written = std::fclose(to) == 0 && written && std::rename(fresh.c_str(), file) == 0;
  if (!written) unlink(fresh.c_str());
  return written;
}

}  // namespace

void graph_core::draw_waits() noexcept {
  draws_waits_ = file != nullptr;
  counts_messages_.store(draws_waits_, mo::relaxed);
}

void graph_core::draw_to_file() noexcept {
  try {
    if (draw_anew(*this)) return;
    os::env_ignored("ASHLAR_FLOW_DOT", "the file can't be written");
    draws_waits_ = false;
  } catch (std::bad_alloc const&) {
    // For the name; the next wait tries again.
  }
}

}  // namespace ashlar::flow
