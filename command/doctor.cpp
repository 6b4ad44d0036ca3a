// SPDX-License-Identifier: Apache-2.0
#include "doctor.h"
#include "elf_file.h"
#include "launch.h"

#include <ashlar/sched/api/info.h>

#include <fmt/format.h>

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace ashlar::command {

namespace {

// Prints what it finds, and counts what is wrong.
class findings {
 public:
  template <typename... Parts>
  void say(char const* what, fmt::format_string<Parts...> text, Parts&&... parts) {
    fmt::print("{:<16}{}\n", what, fmt::format(text, std::forward<Parts>(parts)...));
  }
  template <typename... Parts>
  void wrong(char const* what, fmt::format_string<Parts...> text, Parts&&... parts) {
    say(what, "WRONG: {}", fmt::format(text, std::forward<Parts>(parts)...));
    ++wrong_;
  }
  int count() const noexcept { return wrong_; }

 private:
  int wrong_ = 0;
};

std::string first_line(char const* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

void machine(findings& out) {
  long const online = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t mask;
  int const allowed = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
  int const threads = tbb::info::default_concurrency();
  out.say("processors", "{} online, {} in the affinity mask, {} threads by default", online, allowed, threads);
  if (allowed != 0 && threads < allowed) out.say("quota", "the control group allows {} of {}", threads, allowed);
  out.say("nodes", "{} NUMA, {} kinds of core", tbb::info::numa_nodes().size(), tbb::info::core_types().size());
  long const barriers = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (barriers > 0 && (barriers & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0) {
    out.say("membarrier", "there");
  } else {
    out.say("membarrier", "not there: each spawn pays a fence");
  }
  std::string const pages = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  out.say("huge pages", "{}", pages.empty() ? "unknown" : pages);
  if (std::ifstream("/sys/devices/system/cpu/online").fail()) {
    out.wrong("sysfs", "not mounted: the topology is unknown");
  }
}

void libraries(findings& out) {
  try {
    fs::path const ours = compat_folder();
    out.say("drop-in", "{}", ours.string());
    elf_file const library = read_elf(ours / "libtbb.so.12");
    if (!library.elf) out.wrong("drop-in", "libtbb.so.12 is no library of this machine");
    fs::path const runtime = ours.parent_path() / "libtbb-ashlar.so.0";
    if (!fs::exists(runtime)) out.wrong("drop-in", "{} is missing", runtime.string());
  } catch (failure const& e) {
    out.wrong("drop-in", "{}", e.what());
  }
}

// The path in a line of the loader: "libtbb.so.12 => /a/libtbb.so.12 (0x…)", or "/a/libtbb.so.12 (0x…)" of what is
// preloaded.
fs::path library_of(std::string const& line) {
  constexpr char const arrow[] = " => ";
  std::size_t const begin = line.find(arrow);
  if (begin == std::string::npos) return line.substr(0, line.find(" ("));
  std::size_t const path = begin + sizeof arrow - 1;
  return line.substr(path, line.find(" (", path) - path);
}

// What the loader would take for a program, with libraries preloaded or without: its lines about libtbb.
std::vector<std::string> resolved(fs::path const& file, std::string const& preloaded) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  pid_t const child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
    if (!preloaded.empty()) setenv("LD_PRELOAD", preloaded.c_str(), 1);
    execl(file.c_str(), file.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::vector<std::string> found;
  std::unique_ptr<FILE, int (*)(FILE*)> const in(fdopen(ends[0], "r"), &std::fclose);
  char line[4096];
  while (in != nullptr && std::fgets(line, sizeof line, in.get()) != nullptr) {
    std::string text(line);
    std::size_t const begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    text.erase(0, begin);
    text.erase(text.find_last_not_of("\n") + 1);
    bool const asked = text.rfind("libtbb", 0) == 0;  // found or not
    if (asked || library_of(text).filename().string().rfind("libtbb", 0) == 0) found.push_back(text);
  }
  if (child > 0) wait_for(child);
  return found;
}

void program(findings& out, std::string const& name) {
  fs::path const file = program_file(name);
  elf_file const found = read_elf(file);
  if (!found.elf) {
    return out.say("program", "{} is a script or of another machine; 'ashlar run' tells what it loads", file.string());
  }
  if (!found.loaded) {
    return out.wrong("program", "{} is linked statically: nothing can be put in its TBB's place", file.string());
  }
  if (found.rpath) out.say("program", "has a DT_RPATH, which comes before the names of 'ashlar run --as'");
  auto const list = [&](char const* what, std::string const& preloaded) {
    std::vector<std::string> const lines = resolved(file, preloaded);
    for (std::string const& line : lines) out.say(what, "{}", line);
    return lines;
  };
  if (list("by itself", "").empty()) return out.say("by itself", "no libtbb at start (it may load one later)");
  fs::path const ours = compat_folder();
  for (std::string const& line : list("with ashlar run", ours / "libtbb.so.12")) {
    std::error_code none;
    fs::path const other = library_of(line);
    std::string const name = other.filename();
    bool const runtime = name.rfind("libtbb", 0) == 0 && name.rfind("libtbbmalloc", 0) != 0;
    bool const own = name.find("-ashlar.so") != std::string::npos || fs::equivalent(other, ours / name, none);
    if (runtime && !own) {
      out.wrong("program", "{} is loaded under 'ashlar run', too, which tells what helps", other.string());
    }
  }
}

}  // namespace

int examine(std::vector<std::string> const& arguments) {
  findings out;
  out.say("version", "ashlar {}", ASHLAR_VERSION);
  libraries(out);
  machine(out);
  if (!arguments.empty()) program(out, arguments[0]);
  return out.count() == 0 ? 0 : 1;
}

}  // namespace ashlar::command
