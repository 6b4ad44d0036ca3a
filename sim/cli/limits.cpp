// SPDX-License-Identifier: Apache-2.0
#include "cli/limits.h"

#include "graphs/catalogue.h"
#include "graphs/size.h"
#include "os/topology.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace ashlar::sim {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The number behind a word, or at the beginning of the file if there is none; `missing` if the file has no such number.
double number_in(char const* file, std::string const& word, double missing) {
  std::ifstream in(file);
  double value = 0;
  for (std::string text; !word.empty() && text != word;) {
    if (!(in >> text)) return missing;
  }
  return in >> value ? value : missing;
}

}  // namespace

double free_memory() {
  double room = 1024 * number_in("/proc/meminfo", "MemAvailable:", unlimited);
  double const group = number_in("/sys/fs/cgroup/memory.max", "", unlimited);
  room = std::min(room, group - number_in("/sys/fs/cgroup/memory.current", "", 0));
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    room = std::min(room, static_cast<double>(space.rlim_cur) - 1024 * number_in("/proc/self/status", "VmSize:", 0));
  }
  return std::clamp(0.75 * room, 1e6, 1e15);
}

unsigned runs_at_once(std::size_t cells) {
  return static_cast<unsigned>(std::min<std::size_t>(std::max<std::size_t>(1, cells), os::available_cpus()));
}

void limit_options::add_to(arguments& a) {
  a.amount("--max-tasks", tasks_, 1, 1e15, "refuse graphs with more tasks");
  a.amount("--max-memory", megabytes_, 1, 1e9,
           "refuse what needs more memory than so many MB; default: 3/4 of what is free");
}

std::unique_ptr<program> limit_options::make(std::string const& graph, unsigned workers, unsigned at_once) const {
  require_size(graph, limits(), workers, at_once);
  return make_graph(graph);
}

void limit_options::apply(sim::options& how, unsigned at_once) const {
  how.max_tasks = static_cast<std::uint64_t>(tasks_ * size_limits::random_excess);
  how.max_open_tasks = static_cast<std::uint64_t>(1e6 * megabytes_ / at_once / size_limits::bytes_per_task);
}

void limit_options::require_trace(std::string const& file) const {
  std::error_code failed;
  auto const bytes = static_cast<double>(std::filesystem::file_size(file, failed));
  constexpr double memory_per_byte = 20;
  if (failed || bytes * memory_per_byte <= 1e6 * megabytes_) return;
  throw bad_input(
      fmt::format("{}: the trace is too large: {:.0f} MB, for which about {:.0f} MB of memory are needed, and "
                  "--max-memory is {:.0f} MB",
                  file, bytes * 1e-6, bytes * 1e-6 * memory_per_byte, megabytes_));
}

}  // namespace ashlar::sim
