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
#include <set>

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

void append(char const* variable, std::string const& text, char separator) {
  char const* const old = std::getenv(variable);
  setenv(variable, old != nullptr && *old != '\0' ? (std::string(old) + separator + text).c_str() : text.c_str(), 1);
}

// Our libraries in a folder of links, under the other copies' names, too. The run path of a library goes by the name
// that it is loaded with, so what they need has to be beside them, too.
fs::path stand_in_folder(launch const& what, fs::path const& ours, fs::path const& folder) {
  fs::path const links = folder / "links" / "ashlar-compat";
  fs::create_directories(links);
  for (fs::path const& library :
       {ours.parent_path() / "libtbb-ashlar.so.0", ours.parent_path() / "libtbbmalloc-ashlar.so.0"}) {
    fs::create_symlink(library, links.parent_path() / library.filename());
  }
  std::set<std::string> names{"libtbb.so.12", "libtbbmalloc.so.2", "libtbbmalloc_proxy.so.2"};
  for (std::string const& name : names) fs::create_symlink(ours / name, links / name);
  for (std::string const& name : what.names) {
    if (name.find('/') != std::string::npos || name.rfind("libtbb", 0) != 0) {
      throw failure(fmt::format("--as {}: not the name of a libtbb or libtbbmalloc, as libtbb-dcf63f8c.so.12", name));
    }
    bool const malloc = name.rfind("libtbbmalloc", 0) == 0;
    if (names.insert(name).second) {
      fs::create_symlink(ours / (malloc ? "libtbbmalloc.so.2" : "libtbb.so.12"), links / name);
    }
  }
  return links;
}

// Whole paths are found whatever the program's starter makes of LD_LIBRARY_PATH, and a library whose name is there is
// looked for nowhere, also not by DT_RPATH. What was preloaded before stays before us: a sanitizer's runtime has to be
// the first.
void preload(launch const& what, fs::path const& file, fs::path const& place) {
  if (what.malloc) prepend("LD_PRELOAD", place / "libtbbmalloc_proxy.so.2", ' ');
  for (std::string const& name : what.names) prepend("LD_PRELOAD", name, ' ');
  append("LD_PRELOAD", place / "libtbb.so.12", ' ');
  append("LD_PRELOAD", place / "libtbbmalloc.so.2", ' ');
  for (std::string const& name : read_elf(file).needed) {
    if (name.rfind("libasan.so", 0) == 0) prepend("LD_PRELOAD", name, ' ');
  }
}

void set_environment(launch const& what, fs::path const& file, fs::path const& ours, fs::path const& folder) {
  // LD_PRELOAD is a list that spaces and colons divide.
  bool const divided = ours.string().find_first_of(" :") != std::string::npos;
  fs::path const place = divided || !what.names.empty() ? stand_in_folder(what, ours, folder) : ours;
  prepend("LD_LIBRARY_PATH", ours, ':');
  if (place != ours) prepend("LD_LIBRARY_PATH", place, ':');
  preload(what, file, place);
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

// Why another library was loaded, and what helps.
std::string advice(launch const& what, fs::path const& library, other_library const& how) {
  std::string const name = library.filename();
  if (how.kind == other_kind::classic) {
    return fmt::format(
        ": programs that were compiled for {} can't run on Ashlar, but can be compiled anew with its headers "
        "(-DASHLAR_CLASSIC_DIALECT=1)",
        name);
  }
  if (!how.besides) return ": LD_PRELOAD didn't reach its program (something on the way sets it, or has privileges)";
  if (std::find(what.names.begin(), what.names.end(), name) != what.names.end()) {
    return ": the program's own DT_RPATH comes before '--as' ('patchelf --remove-rpath' takes it away)";
  }
  return fmt::format("; 'ashlar run --as {} {} …' puts Ashlar in its place", name, what.program[0]);
}

// Whether the program is `env` with an option that leaves nothing of our environment.
bool clears_environment(std::vector<std::string> const& program) {
  if (fs::path(program[0]).filename() != "env") return false;
  for (std::size_t i = 1; i < program.size(); ++i) {
    std::string const& option = program[i];
    if (option == "-" || option == "--ignore-environment") return true;
    if (option[0] != '-' || option == "--") return false;
    if (option[1] == '-') continue;
    // Of the letters after one dash the first with an argument is the last.
    std::size_t const argument = option.find_first_of("uCS");
    if (option.substr(0, argument).find('i') != std::string::npos) return true;
    if (argument + 1 == option.size()) ++i;
  }
  return false;
}

// What the user should know: nothing if all went as wanted.
void tell(launch const& what, fs::path const& file, fs::path const& ours, fs::path const& folder) {
  loaded_libraries const found = read_record(folder, ours, folder / "links");
  for (auto const& [library, how] : found.others) {
    fmt::print(stderr, "ashlar: {} was loaded {} Ashlar{}\n", library.string(), how.besides ? "besides" : "instead of",
               advice(what, library, how));
  }
  if (found.used || !found.others.empty()) return;
  elf_file const program = read_elf(file);
  char const* why = "it uses no libtbb.so.12, or has TBB linked statically";
  if (program.elf && !program.loaded) why = "it is linked statically";
  if (clears_environment(what.program)) {
    why =
        "the environment was cleared, so that neither LD_PRELOAD nor what asks for the loader's record reaches the "
        "program "
        "('env -i ashlar run PROGRAM' runs it on Ashlar)";
  }
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
      set_environment(what, file, ours, folder.path);
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
