// SPDX-License-Identifier: Apache-2.0
// How far a long run is, on stderr: a bar where that is a terminal, else a line at each tenth or nothing.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

namespace ashlar::sim {

class progress_bar {
 public:
  enum class elsewhere { silent, tenths };
  // `what`: the parts' name in the lines, "cells".
  progress_bar(std::size_t total, char const* what, elsewhere mode = elsewhere::silent);
  ~progress_bar();
  progress_bar(progress_bar const&) = delete;
  progress_bar& operator=(progress_bar const&) = delete;

  // One more part is done; `label` stands behind the bar. Any thread.
  void step(std::string const& label);

 private:
  std::size_t const total_;
  char const* const what_;
  bool const bar_, tenths_;
  std::mutex lock_;
  std::size_t done_ = 0;
};

}  // namespace ashlar::sim
