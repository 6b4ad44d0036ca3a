// SPDX-License-Identifier: Apache-2.0
#include "report/progress.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>

namespace ashlar::sim {

progress_bar::progress_bar(std::size_t total, char const* what, elsewhere mode)
    : total_(total), what_(what), bar_(isatty(STDERR_FILENO) != 0), tenths_(!bar_ && mode == elsewhere::tenths) {}

progress_bar::~progress_bar() {
  if (bar_ && done_ != 0) std::fputs("\r\x1b[K", stderr);
}

void progress_bar::step(std::string const& label) {
  constexpr std::size_t width = 40;
  std::lock_guard const guard(lock_);
  ++done_;
  if (bar_) {
    std::size_t const filled = done_ * width / total_;
    fmt::print(stderr, "\r[{:#<{}}{: <{}}] {}/{} {}\x1b[K", "", filled, "", width - filled, done_, total_, label);
    std::fflush(stderr);
  } else if (tenths_ && done_ * 10 / total_ != (done_ - 1) * 10 / total_) {
    fmt::print(stderr, "{}/{} {}\n", done_, total_, what_);
  }
}

}  // namespace ashlar::sim
