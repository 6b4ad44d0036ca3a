// SPDX-License-Identifier: Apache-2.0
// The subcommands of ashlar-sim: each is a file of sim/cli that defines one object
//
//   ashlar::sim::command const run("run", "Simulates a graph", [](CLI::App& app) -> command_body { … });
//
// at namespace scope. The function adds its options to `app` and returns what to do when the command is chosen: the exit
// status. Bad input is a thrown bad_input (or any std::exception): one line on stderr, status 1.
#pragma once

#include "program/bad_input.h"

#include <functional>

namespace CLI {
class App;
}

namespace ashlar::sim {

using command_body = std::function<int()>;
using command_setup = command_body (*)(CLI::App& app);

class command {
 public:
  // The texts must outlive the program: literals.
  command(char const* name, char const* help, command_setup setup) noexcept;
  command(command const&) = delete;
  command& operator=(command const&) = delete;

  char const* const name;
  char const* const help;
  command_setup const setup;
  command const* const next;

  static command const* first() noexcept;
};

}  // namespace ashlar::sim
