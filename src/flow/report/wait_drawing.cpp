// SPDX-License-Identifier: Apache-2.0
// ASHLAR_FLOW_DOT: each wait for a graph leaves a drawing of it in a file.
#include "os/environment.h"

#include <ashlar/flow/engine/graph_core.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

namespace ashlar::inline v1::flow {

namespace {

char const* const file = os::env_text("ASHLAR_FLOW_DOT");

// As mkostemp, with the mode that other files of the program have.
int open_fresh(std::string& name) {
  static atomic<unsigned> number{0};
  for (;;) {
    name = std::string(file) + '.' + std::to_string(getpid()) + '.' + std::to_string(number.fetch_add(1, mo::relaxed));
    int const fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

// What the drawing would take the place of is a file, or nothing: no device, no link.
bool may_replace() noexcept {
  struct stat about{};
  return lstat(file, &about) != 0 || S_ISREG(about.st_mode);
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
  int const fd = open_fresh(fresh);
  if (fd < 0) return false;
  std::FILE* const to = fdopen(fd, "w");
  if (to == nullptr) {
    close(fd);
    unlink(fresh.c_str());
    return false;
  }
  bool written;
  try {
    draw(g, to);
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
  draws_waits_.store(file != nullptr, mo::relaxed);
  counts_messages_.store(file != nullptr, mo::relaxed);
}

void graph_core::draw_to_file() noexcept {
  try {
    bool const may = may_replace();
    if (may && draw_anew(*this)) return;
    os::env_ignored("ASHLAR_FLOW_DOT", may ? "the file can't be written" : "not a regular file");
    draws_waits_.store(false, mo::relaxed);
  } catch (std::bad_alloc const&) {
    // For the name; the next wait tries again.
  }
}

}  // namespace ashlar::inline v1::flow
