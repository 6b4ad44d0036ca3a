// SPDX-License-Identifier: Apache-2.0
// The command line of `study`. A wrong one ends the program with one line and exit status 2.
#pragma once

#include "common/study.h"

#include <string>

namespace study {

enum class version { serial, tasks, fixed };
inline constexpr char const* version_names[] = {"serial", "tasks", "static"};

struct options {
  enum class action { measure, list, check, costs } what = action::measure;
  std::string program;
  size_class size = size_class::test;
  version how = version::tasks;
  int threads = 1;
  int runs = 5;
  double warm_s = 0.1;
  bool pin = false;      // after warming: thread k on CPU k, round robin
  bool observe = false;  // times of the scheduler's operations, which costs time itself
};

options parse(int argc, char** argv);

// One line on stderr, exit status 2.
[[noreturn]] void refuse(std::string const& message);

}  // namespace study
