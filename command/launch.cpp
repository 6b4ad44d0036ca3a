// SPDX-License-Identifier: Apache-2.0
#include "launch.h"
#include "elf_file.h"
#include "loaded.h"

#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace ashlar::command {

namespace {

// A folder for the loader's record and for links, removed at the end.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "ashlar-run-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw failure(fmt::format("{}: {}", name, std::strerror(errno)));
    path = name;
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() {
    std::error_code none;
    fs::remove_all(path, none);
  }

  fs::path path;
};

void prepend(char const* variable, std::string const& text, char separator) {
  char const* const old = std::getenv(variable);
  setenv(variable, old != nullptr && *old != '\0' ? (text + separator + old).c_str() : text.c_str(), 1);
}

// Our libraries under the other copies' names. The run path of a library goes by the name that it is loaded with, so
// what they need has to be beside them, too.
fs::path stand_in_folder(launch const& what, fs::path const& ours, fs::path const& folder) {
  fs::path const links = folder / "links" / "ashlar-compat";
  fs::create_directories(links);
  for (fs::path const& library :
       {ours.parent_path() / "libtbb-ashlar.so.0", ours.parent_path() / "libtbbmalloc-ashlar.so.0"}) {
    fs::create_symlink(library, links.parent_path() / library.filename());
  }
  for (std::string const& name : what.names) {
    if (name.find('/') != std::string::npos || name.rfind("libtbb", 0) != 0) {
      throw failure(fmt::format("--as {}: not the name of a libtbb or libtbbmalloc, as libtbb-dcf63f8c.so.12", name));
    }
    bool const malloc = name.rfind("libtbbmalloc", 0) == 0;
    fs::create_symlink(ours / (malloc ? "libtbbmalloc.so.2" : "libtbb.so.12"), links / name);
  }
  return links;
}

void set_environment(launch const& what, fs::path const& ours, fs::path const& folder) {
  prepend("LD_LIBRARY_PATH", ours, ':');
  if (!what.names.empty()) {
    prepend("LD_LIBRARY_PATH", stand_in_folder(what, ours, folder), ':');
    for (std::string const& name : what.names) prepend("LD_PRELOAD", name, ' ');
  }
  if (what.malloc) prepend("LD_PRELOAD", "libtbbmalloc_proxy.so.2", ' ');
  if (what.threads != 0) setenv("ASHLAR_NUM_THREADS", std::to_string(what.threads).c_str(), 1);
  if (what.stats) setenv("ASHLAR_STATS", "1", 1);
  if (what.hang != 0) setenv("ASHLAR_HANG_REPORT", std::to_string(what.hang).c_str(), 1);
  if (!what.trace.empty()) setenv("ASHLAR_TRACE", fs::absolute(what.trace).c_str(), 1);
  if (!what.quiet && std::getenv("LD_DEBUG") == nullptr) {
    setenv("LD_DEBUG", "files", 1);
    setenv("LD_DEBUG_OUTPUT", (folder / "record").c_str(), 1);
  }
}

[[noreturn]] void become(launch const& what, fs::path const& file) {
  std::vector<char*> arguments;
  for (std::string const& a : what.program) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  fmt::print(stderr, "ashlar: {}: {}\n", file.string(), std::strerror(errno));
  _exit(127);
}

// What the user should know: nothing if all went as wanted.
void tell(launch const& what, fs::path const& file, fs::path const& ours, fs::path const& folder) {
  loaded_libraries const found = read_record(folder, ours, folder / "links");
  for (fs::path const& other : found.others) {
    std::string const name = other.filename();
    bool const ready = std::find(what.names.begin(), what.names.end(), name) != what.names.end();
    fmt::print(stderr, "ashlar: {} was loaded {} Ashlar{}\n", other.string(), found.ours ? "besides" : "instead of",
               ready ? ": the program's own DT_RPATH comes before all else ('patchelf --remove-rpath' takes it away)"
                     : fmt::format("; 'ashlar run --as {} {} …' puts Ashlar in its place", name, what.program[0]));
  }
  if (found.ours || !found.others.empty()) return;
  elf_file const program = read_elf(file);
  char const* why = "it uses no libtbb.so.12, or has TBB linked statically";
  if (program.elf && !program.loaded) why = "it is linked statically";
  if (program.elf && program.loaded && !found.recorded) why = "the loader left no record (privileged, or not glibc's)";
  fmt::print(stderr, "ashlar: {} didn't run on Ashlar: {}\n", what.program[0], why);
}

}  // namespace

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int start(launch const& what) {
  fs::path const file = program_file(what.program.at(0));
  fs::path const ours = compat_folder();
  temporary_folder const folder;
  // The terminal's signals are the program's; this one waits for it, and clears up.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  pid_t const child = fork();
  if (child < 0) throw failure(fmt::format("{}: {}", file.string(), std::strerror(errno)));
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGQUIT, SIG_DFL);
    try {
      set_environment(what, ours, folder.path);
    } catch (std::exception const& e) {
      fmt::print(stderr, "ashlar: {}\n", e.what());
      _exit(127);
    }
    become(what, file);
  }
  int const status = wait_for(child);
  if (!what.quiet && std::getenv("LD_DEBUG") == nullptr) tell(what, file, ours, folder.path);
  return status;
}

}  // namespace ashlar::command
