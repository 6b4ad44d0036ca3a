// SPDX-License-Identifier: Apache-2.0
// Runs a piece of a test in a forked child and gives its exit code. The child must start no threads.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

// -1 if the child could not be made or did not exit by itself.
template <typename F>
int exit_code_of_child(F const& body) {
  std::fflush(nullptr);  // else the child may print what is buffered a second time
  pid_t const child = ::fork();
  if (child < 0) return -1;
  if (child == 0) ::_exit(body());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
