// SPDX-License-Identifier: Apache-2.0
// ASHLAR_FLOW_DOT: each wait for a graph leaves a drawing of it in a file.
#include "os/environment.h"
#include "os/fresh_file.h"
#include "os/process.h"

#include <ashlar/flow/engine/graph_core.h>

#include <cstdio>
#include <new>
#include <string>
#include <string_view>

namespace ashlar::inline v1::flow {

namespace {

char const* const file = os::env_text("ASHLAR_FLOW_DOT");

// A new file beside the drawing's; null if that can't be.
std::FILE* open_fresh(std::string& name) {
  static atomic<unsigned> number{0};
  for (;;) {
    unsigned const n = number.fetch_add(1, mo::relaxed);
    name = std::string(file) + '.' + std::to_string(os::process_id()) + '.' + std::to_string(n);
    bool exists = false;
    std::FILE* const made = os::make_file(name.c_str(), exists);
    if (made != nullptr || !exists) return made;
  }
}

// The name tells the language.
void draw(graph_core& g, std::FILE* to) {
  constexpr std::string_view ending = ".svg";
  std::string_view const name = file;
  if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending) {
    write_svg(g, to);
  } else {
    g.dot(to);
  }
}

// Under a name of its own first: waits of other graphs end at the same time. False: the file can't be written.
bool draw_anew(graph_core& g) {
  std::string fresh;
  std::FILE* const to = open_fresh(fresh);
  if (to == nullptr) return false;
  bool written;
  try {
    draw(g, to);
    written = std::ferror(to) == 0;
  } catch (std::bad_alloc const&) {
    std::fclose(to);
    std::remove(fresh.c_str());
    return true;  // the next wait draws it
  }
  written = std::fclose(to) == 0 && written && std::rename(fresh.c_str(), file) == 0;
  if (!written) std::remove(fresh.c_str());
  return written;
}

}  // namespace

void graph_core::draw_waits() noexcept {
  draws_waits_.store(file != nullptr, mo::relaxed);
  counts_messages_.store(file != nullptr, mo::relaxed);
}

void graph_core::draw_to_file() noexcept {
  try {
    bool const may = os::may_replace(file);
    if (may && draw_anew(*this)) return;
    os::env_ignored("ASHLAR_FLOW_DOT", may ? "the file can't be written" : "not a regular file");
    draws_waits_.store(false, mo::relaxed);
  } catch (std::bad_alloc const&) {
    // For the name; the next wait tries again.
  }
}

}  // namespace ashlar::inline v1::flow
