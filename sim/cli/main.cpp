// SPDX-License-Identifier: Apache-2.0
// ashlar-sim: see sim/README.md and cli/command.h.
#include "cli/command.h"
#include "machine/machine_file.h"
#include "obs/trace_format.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace ashlar::sim {

namespace {

command const* newest = nullptr;

// The line that the parser's help begins with.
std::string usage_of(CLI::App const& app) {
  std::string const help = app.help(app.get_parent() != nullptr ? "ashlar-sim" : "");
  std::size_t const begin = std::min(help.find("Usage:"), help.size() - 1);
  return "usage" + help.substr(begin + 5, help.find('\n', begin) - begin - 5);
}

int run(int argc, char** argv) {
  CLI::App app("Simulates task programs on 1 to 4096 cores", "ashlar-sim");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("ashlar-sim {}, reads traces of version {} to {}", ASHLAR_VERSION,
                                                obs::oldest_trace_version, obs::trace_version));
  std::vector<command const*> commands;
  for (command const* c = command::first(); c != nullptr; c = c->next) commands.push_back(c);
  std::sort(commands.begin(), commands.end(),
            [](command const* a, command const* b) { return std::string_view(a->name) < b->name; });
  std::vector<std::pair<CLI::App*, command_body>> bodies;
  for (command const* c : commands) {
    CLI::App* const sub = app.add_subcommand(c->name, c->help);
    arguments a(*sub);
    bodies.emplace_back(sub, c->setup(a));
  }
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), [&](command const* c) {
        return std::string_view(c->name) == argv[1];
      })) {
    std::vector<std::string_view> names;
    for (command const* c : commands) names.push_back(c->name);
    throw bad_input::unknown("command", argv[1], names);
  }
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    CLI::App const* asked = &app;
    for (auto const& [sub, body] : bodies) {
      if (sub->parsed() || (argc > 1 && sub->get_name() == argv[1])) asked = sub;
    }
    throw bad_input::of(e.what(), "; ", usage_of(*asked), " (--help tells more)");
  }
  for (auto const& [sub, body] : bodies) {
    if (sub->parsed()) return body();
  }
  return 1;
}

}  // namespace

void arguments::text(char const* name, std::string& value, char const* help) {
  app_.add_option(name, value, help)->capture_default_str();
}
void arguments::choice(char const* name, std::string& value, std::vector<std::string> const& among, char const* help) {
  app_.add_option(name, value, help)->check(CLI::IsMember(among))->capture_default_str();
}
void arguments::number(char const* name, unsigned& value, unsigned least, unsigned most, char const* help) {
  app_.add_option(name, value, help)->check(CLI::Range(least, most))->capture_default_str();
}
void arguments::amount(char const* name, double& value, double least, double most, char const* help) {
  auto const check = [least, most](std::string const& text) {
    char* end = nullptr;
    double const number = std::strtod(text.c_str(), &end);
    bool const good = *end == '\0' && number >= least && number <= most;  // nan is not
    return good ? std::string()
                : "'" + text + "' is not between " + std::to_string(std::llround(least)) + " and " +
                      std::to_string(std::llround(most));
  };
  app_.add_option(name, value, help)->check(check)->capture_default_str();
}
void arguments::flag(char const* name, bool& value, char const* help) { app_.add_flag(name, value, help); }
void arguments::required(char const* name, std::string& value, char const* help) {
  app_.add_option(name, value, help)->required();
}
void arguments::list(char const* name, std::vector<std::string>& values, char const* help) {
  app_.add_option(name, values, help);
}

command::command(char const* n, char const* h, command_setup s) noexcept : name(n), help(h), setup(s), next(newest) {
  newest = this;
}

command const* command::first() noexcept { return newest; }

void print_or_write(std::string const& text, std::string const& file) {
  if (!file.empty()) return write_file(file, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace ashlar::sim

int main(int argc, char** argv) {
  try {
    int const status = ashlar::sim::run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    std::fprintf(stderr, "ashlar-sim: the output can't be written: %s\n", std::strerror(errno));
    return 1;
  } catch (std::bad_alloc const&) {
    std::fputs("ashlar-sim: out of memory: choose a smaller graph or trace\n", stderr);
    return 1;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "ashlar-sim: %s\n", e.what());
    return 1;
  }
}
