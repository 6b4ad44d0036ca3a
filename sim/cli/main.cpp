// SPDX-License-Identifier: Apache-2.0
// ashlar-sim: see sim/README.md and cli/command.h.
#include "cli/command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <vector>

namespace ashlar::sim {

namespace {

command const* newest = nullptr;

int run(int argc, char** argv) {
  CLI::App app("Simulates task programs on 1 to 4096 cores", "ashlar-sim");
  app.require_subcommand(1);
  std::vector<command const*> commands;
  for (command const* c = command::first(); c != nullptr; c = c->next) commands.push_back(c);
  std::sort(commands.begin(), commands.end(),
            [](command const* a, command const* b) { return std::string_view(a->name) < b->name; });
  std::vector<std::pair<CLI::App*, command_body>> bodies;
  for (command const* c : commands) {
    CLI::App* const sub = app.add_subcommand(c->name, c->help);
    bodies.emplace_back(sub, c->setup(*sub));
  }
  CLI11_PARSE(app, argc, argv);
  for (auto const& [sub, body] : bodies) {
    if (sub->parsed()) return body();
  }
  return 1;
}

}  // namespace

command::command(char const* n, char const* h, command_setup s) noexcept : name(n), help(h), setup(s), next(newest) {
  newest = this;
}

command const* command::first() noexcept { return newest; }

}  // namespace ashlar::sim

int main(int argc, char** argv) {
  try {
    return ashlar::sim::run(argc, argv);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "ashlar-sim: %s\n", e.what());
    return 1;
  }
}
