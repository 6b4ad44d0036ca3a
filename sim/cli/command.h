// SPDX-License-Identifier: Apache-2.0
// The subcommands of ashlar-sim: each is a file of sim/cli that defines one object
//
//   ashlar::sim::command const run("run", "Simulates a graph", [](arguments& a) -> command_body { … });
//
// at namespace scope. The function names its options and returns what to do when the command is chosen: the exit
// status. Bad input is a thrown bad_input (or any std::exception): one line on stderr, status 1.
#pragma once

#include "program/bad_input.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ashlar::sim {

// A command's options. main.cpp has the code, so that the parser's large header is compiled once. Names begin with a
// dash, a positional argument's doesn't; the values are the defaults, and must live until the command has run.
class arguments {
 public:
  explicit arguments(CLI::App& app) : app_(app) {}

  void text(char const* name, std::string& value, char const* help);
  void choice(char const* name, std::string& value, std::vector<std::string> const& among, char const* help);
  void number(char const* name, unsigned& value, unsigned least, unsigned most, char const* help);
  void amount(char const* name, double& value, double least, double most, char const* help);
  void flag(char const* name, bool& value, char const* help);
  // Without it there is nothing to do: status and usage of the parser.
  void required(char const* name, std::string& value, char const* help);
  void list(char const* name, std::vector<std::string>& values, char const* help);

 private:
  CLI::App& app_;
};

using command_body = std::function<int()>;
using command_setup = command_body (*)(arguments& a);

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

// Prints the text, or writes it as a whole to the file if one is named. Throws bad_input.
void print_or_write(std::string const& text, std::string const& file);

}  // namespace ashlar::sim
