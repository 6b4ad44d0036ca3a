// SPDX-License-Identifier: Apache-2.0
// Times whole processes: spawn_clock ROUNDS PROGRAM... starts the programs in turn, ROUNDS times each after
// two untimed starts, and prints one line of JSON: for each program its wall and CPU times in microseconds.
// One process times them all, so that no program gets the quieter part of the run.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <bench/clock.h>

extern char** environ;

namespace {

struct duration {
  double wall_us;
  double cpu_us;
};

double microseconds(timeval const& t) { return 1e6 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec); }

// From the start until the child is gone and collected. Ends the program if the child fails.
duration time_process(char* program) {
  char* const arguments[] = {program, nullptr};
  pid_t child = 0;
  double const begun = bench::wall_now();
  if (posix_spawn(&child, program, nullptr, nullptr, arguments, environ) != 0) {
    std::fprintf(stderr, "cannot start %s\n", program);
    std::exit(1);
  }
  int status = 0;
  rusage used;
  if (wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "%s failed (status %d)\n", program, status);
    std::exit(1);
  }
  return {1e6 * (bench::wall_now() - begun), microseconds(used.ru_utime) + microseconds(used.ru_stime)};
}

void print(char const* name, std::vector<duration> const& times, double duration::* member) {
  std::printf("\"%s\":[", name);
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::printf("%s%.1f", i ? "," : "", times[i].*member);
  }
  std::printf("]");
}

}  // namespace

int main(int argc, char** argv) {
  int const rounds = argc > 2 ? std::atoi(argv[1]) : 0;
  if (rounds < 1) {
    std::fprintf(stderr, "usage: spawn_clock ROUNDS PROGRAM...\n");
    return 2;
  }
  int const programs = argc - 2;
  std::vector<std::vector<duration>> times(static_cast<std::size_t>(programs));
  for (int round = -2; round < rounds; ++round) {
    for (int p = 0; p < programs; ++p) {
      duration const d = time_process(argv[2 + p]);
      if (round >= 0) {
        times[static_cast<std::size_t>(p)].push_back(d);
      }
    }
  }
  std::printf("[");
  for (std::size_t p = 0; p < times.size(); ++p) {
    std::printf("%s{", p ? "," : "");
    print("wall_us", times[p], &duration::wall_us);
    std::printf(",");
    print("cpu_us", times[p], &duration::cpu_us);
    std::printf("}");
  }
  std::printf("]\n");
  return 0;
}
