// SPDX-License-Identifier: Apache-2.0
// ashlar: one command that runs any TBB program on Ashlar and looks into it.
#include "doctor.h"
#include "elf_file.h"
#include "launch.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace ashlar::command {

namespace {

// ashlar-sim in place of this process.
[[noreturn]] void become_simulator(std::vector<std::string> arguments) {
  std::string const file = simulator();
  arguments.insert(arguments.begin(), file);
  std::vector<char*> list;
  for (std::string& a : arguments) list.push_back(a.data());
  list.push_back(nullptr);
  execvp(file.c_str(), list.data());
  throw failure(
      fmt::format("{}: {}; it is built where CLI11, fmt and nlohmann_json are installed", file, std::strerror(errno)));
}

int report(launch what, std::string const& html, std::vector<std::string> const& what_if) {
  bool const recorded = !read_elf(what.program[0]).elf && fs::is_regular_file(what.program[0]) &&
                        access(what.program[0].c_str(), X_OK) != 0;
  std::string file = what.program[0];
  bool const keep = recorded || !what.trace.empty();
  if (!recorded) {
    if (what.trace.empty()) {
      what.trace = fmt::format("{}/ashlar-{}.trace", fs::temp_directory_path().string(), getpid());
    }
    file = what.trace;
    std::error_code none;
    fs::remove(file, none);
    int const status = start(what);
    if (status != 0) fmt::print(stderr, "ashlar: {} ended with status {}\n", what.program[0], status);
    if (!fs::exists(file)) throw failure("there is no trace to report on");
  }
  std::vector<std::string> arguments{"report", file};
  if (!html.empty()) arguments.insert(arguments.end(), {"--format", "html", "--out", html});
  for (std::string const& w : what_if) arguments.insert(arguments.end(), {"--what-if", w});
  if (keep) become_simulator(arguments);
  pid_t const child = fork();
  if (child == 0) {
    try {
      become_simulator(arguments);
    } catch (failure const& e) {
      fmt::print(stderr, "ashlar: {}\n", e.what());
    }
    _exit(127);
  }
  int const status = child > 0 ? wait_for(child) : 127;
  fs::remove(file);
  return status;
}

// Options of the command that were written behind the program, which gets them. "--" shows that it is meant.
void tell_of_late_options(CLI::App const& sub, std::vector<std::string> const& program) {
  for (std::size_t i = 1; i < program.size(); ++i) {
    std::string const name = program[i].substr(0, program[i].find('='));
    if (name.rfind("--", 0) != 0 || sub.get_option_no_throw(name) == nullptr) continue;
    fmt::print(stderr,
               "ashlar: {} stands behind {}, so it is no option of 'ashlar {}'; those stand before the program\n", name,
               program[0], sub.get_name());
  }
}

struct settings {
  launch what;
  std::string html;
  std::vector<std::string> what_if;
};

// Help whose usage tells what stands behind the options.
struct usage_of_program : CLI::Formatter {
  explicit usage_of_program(std::string behind) : behind_(std::move(behind)) {}
  std::string make_usage(CLI::App const* app, std::string name) const override {
    std::string text = CLI::Formatter::make_usage(app, std::move(name));
    return text.insert(text.find_last_not_of('\n') + 1, " " + behind_);
  }
  std::string behind_;
};

CLI::App* add_run(CLI::App& app, settings& s) {
  CLI::App* const run = app.add_subcommand("run", "Runs a program that uses TBB on Ashlar");
  run->formatter(std::make_shared<usage_of_program>("PROGRAM [ARGUMENT ...]"));
  run->add_option("--threads", s.what.threads, "how many threads work")->check(CLI::Range(1, 1024));
  run->add_flag("--stats", s.what.stats, "prints at the end what each thread did");
  run->add_option("--trace", s.what.trace, "records what every thread does into this file");
  run->add_option("--hang", s.what.hang, "reports who waits for what if nothing goes on for so many seconds")
      ->check(CLI::Range(1, 86400));
  run->add_flag("--malloc", s.what.malloc, "the scalable allocator in place of malloc and new");
  run->add_option("--as", s.what.names, "a bundled copy's file name, in whose place Ashlar comes")
      ->allow_extra_args(false);
  run->add_flag("--quiet", s.what.quiet, "doesn't look whether it took effect");
  run->prefix_command();
  return run;
}

CLI::App* add_report(CLI::App& app, settings& s) {
  CLI::App* const sub =
      app.add_subcommand("report", "Runs a program, and tells how it will scale; or tells it from a trace");
  sub->formatter(std::make_shared<usage_of_program>("PROGRAM [ARGUMENT ...] | TRACE"));
  sub->add_option("--threads", s.what.threads, "how many threads work")->check(CLI::Range(1, 1024));
  sub->add_option("--as", s.what.names, "as of 'ashlar run'")->allow_extra_args(false);
  sub->add_option("--trace", s.what.trace, "keeps the trace in this file");
  sub->add_option("--html", s.html, "writes a page with plots");
  sub->add_option("--what-if", s.what_if, "'grain x 4', 'REGION x 2', '16 threads'; may be repeated")
      ->allow_extra_args(false);
  sub->prefix_command();
  return sub;
}

int run(int argc, char** argv) {
  CLI::App app("Runs programs that use TBB on Ashlar, and looks into them", "ashlar");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("ashlar {}", ASHLAR_VERSION));
  settings s;
  CLI::App* const run_command = add_run(app, s);
  CLI::App* const report_command = add_report(app, s);
  CLI::App* const export_command = app.add_subcommand("export", "Converts a trace for Perfetto: TRACE --chrome FILE");
  CLI::App* const simulate = app.add_subcommand("simulate", "ashlar-sim, the simulator, with all that follows");
  CLI::App* const doctor_command =
      app.add_subcommand("doctor", "Tells of the machine and which libtbb a program loads: [PROGRAM]");
  for (CLI::App* sub : {export_command, simulate}) {
    sub->prefix_command();
    sub->set_help_flag();  // theirs
  }
  doctor_command->prefix_command();
  // What follows "--" is the program's, whatever it looks like.
  char** const all = argv + argc;
  char** const dashes = std::find_if(argv, all, [](char const* a) { return std::strcmp(a, "--") == 0; });
  auto const rest = [&](CLI::App const& sub) {
    std::vector<std::string> found = sub.remaining();
    if (!found.empty() && dashes != all) found.emplace_back("--");
    if (dashes != all) found.insert(found.end(), dashes + 1, all);
    return found;
  };
  try {
    app.parse(static_cast<int>(dashes - argv), argv);
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    throw failure(std::string(e.what()) + " (--help tells more)");
  }
  if (simulate->parsed()) become_simulator(rest(*simulate));
  if (export_command->parsed()) {
    std::vector<std::string> arguments = rest(*export_command);
    arguments.insert(arguments.begin(), "export");
    become_simulator(arguments);
  }
  if (doctor_command->parsed()) return examine(rest(*doctor_command));
  CLI::App const* const sub = run_command->parsed() ? run_command : report_command;
  s.what.program = rest(*sub);
  if (s.what.program.empty()) throw failure(fmt::format("{}: which program? (--help tells more)", sub->get_name()));
  if (report_command->parsed() && dashes == all) tell_of_late_options(*sub, s.what.program);
  return run_command->parsed() ? start(s.what) : report(s.what, s.html, s.what_if);
}

}  // namespace

}  // namespace ashlar::command

int main(int argc, char** argv) {
  try {
    return ashlar::command::run(argc, argv);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "ashlar: %s\n", e.what());
    return 125;
  }
}
