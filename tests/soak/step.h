// SPDX-License-Identifier: Apache-2.0
// A random program as its generator writes it, a JSON object: a tree of steps, each with a few numbers, whose bodies
// are steps again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace soak {

enum class fault { none, exception, cancellation };

struct step {
  std::string kind;
  int n = 1;  // iterations, tasks, elements
  int a = 0;  // whatever the kind needs
  int b = 0;
  fault wrong{};  // what happens in the middle of it
  std::vector<step> body;
};

// Throws an exception of the standard library for what is no program.
step read_step(std::string_view json);

}  // namespace soak
