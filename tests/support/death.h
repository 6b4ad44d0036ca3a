// SPDX-License-Identifier: Apache-2.0
// Tests of code that ends the process: the body runs in a forked child, whose end and stderr are reported.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <string>

namespace test {

struct death {
  bool exited = false;  // by exit or return; else by a signal
  int code = 0;         // the exit code or the signal
  std::string errors;   // what it wrote to stderr, up to 64 KiB

  bool by_signal(int signal) const { return !exited && code == signal; }
};

// Runs body() in a child process and waits for its end; a body that returns ends with exit code 0.
template <typename Body>
death run_in_child(Body const& body) {
  int ends[2];
  death result;
  if (pipe(ends) != 0) {
    result.errors = "pipe failed";
    return result;
  }
  pid_t const child = fork();
  if (child == 0) {
    for (int const signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM}) {
      std::signal(signal, SIG_DFL);  // the test framework's handlers report to the parent's stdout
    }
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    body();
    _exit(0);
  }
  close(ends[1]);
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    if (result.errors.size() < 65536) {
      result.errors.append(buffer, static_cast<std::size_t>(n));
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.exited = WIFEXITED(status);
  result.code = result.exited ? WEXITSTATUS(status) : WTERMSIG(status);
  // An emulator (preset aarch64) adds a line of its own.
  std::size_t const added = result.errors.find("qemu: uncaught target signal");
  if (added != std::string::npos) {
    result.errors.resize(added);
  }
  return result;
}

}  // namespace test
