// SPDX-License-Identifier: Apache-2.0
// Runs random programs: reads one a line, as JSON, from the standard input, and answers each with a line that tells
// what became of its tasks. soak.py writes them.
#include "arenas.h"
#include "program.h"
#include "support/process_memory.h"

#include <ashlar/sched/report/hang_report.h>
#include <tbb/global_control.h>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace soak {

namespace {

std::map<std::string, action, std::less<>> const& actions() {
  static auto const all = [] {
    std::map<std::string, action, std::less<>> table;
    add_algorithms(table);
    add_arenas(table);
    add_data(table);
    add_system(table);
    return table;
  }();
  return all;
}

void check_kinds(step const& s) {
  if (actions().count(s.kind) == 0) throw std::invalid_argument("no step is called " + s.kind);
  for (step const& inner : s.body) check_kinds(inner);
}

nlohmann::json run(step const& program) {
  account book;
  take(program.body, place{book});
  // Enqueued tasks, for which nobody waits.
  while (book.open != 0) std::this_thread::yield();
  auto const memory = test::memory_if_told();  // unknown in a system without /proc
  return {{"ran", book.ran.load()},
          {"cancelled", book.cancelled.load()},
          {"kib", memory ? memory->resident / 1024 : 0},
          {"failures", book.failures()}};
}

// A signal handler may end a reading before its time.
bool next_line(std::string& line) {
  line.clear();
  for (std::string part;;) {
    errno = 0;
    bool const whole = static_cast<bool>(std::getline(std::cin, part));
    line += part;
    if (whole || errno != EINTR) return whole;
    std::cin.clear();
    std::clearerr(stdin);
  }
}

}  // namespace

step read_program(std::string_view json) {
  step program = read_step(json);
  check_kinds(program);
  return program;
}

void take(step const& s, place const& where) { actions().find(s.kind)->second(s, where); }

void take(std::vector<step> const& steps, place const& where) {
  for (step const& s : steps) take(s, where);
}

}  // namespace soak

int main() {
  setenv("ASHLAR_NUM_THREADS", "4", 1);  // also for the program's own threads, and where there are fewer processors
  tbb::global_control const threads(tbb::global_control::max_allowed_parallelism, 4);
  soak::make_shared_arenas();
  // Asked by soak.py when it hangs.
  std::signal(SIGUSR1, [](int) { ashlar::sched::print_hang_report(); });
  for (std::string line; soak::next_line(line);) {
    try {
      std::cout << soak::run(soak::read_program(line)).dump() << std::endl;
    } catch (std::exception const& e) {
      std::cout << nlohmann::json{{"failures", {std::string("an exception left the program: ") + e.what()}}}.dump()
                << std::endl;
    }
  }
}
