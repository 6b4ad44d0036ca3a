// SPDX-License-Identifier: Apache-2.0
// Processes that compute for as long as the object lives. They have to be made before the program has threads.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace threads {

class busy_processes {
 public:
  explicit busy_processes(int count) {
    pid_t const parent = getpid();
    for (int i = 0; i < count; ++i) {
      pid_t const child = fork();
      if (child == 0) compute(parent);
      if (child > 0) children_.push_back(child);
    }
  }
  ~busy_processes() {
    for (pid_t const child : children_) kill(child, SIGKILL);
    for (pid_t const child : children_) waitpid(child, nullptr, 0);
  }
  busy_processes(busy_processes const&) = delete;
  busy_processes& operator=(busy_processes const&) = delete;

  int count() const { return static_cast<int>(children_.size()); }

 private:
  [[noreturn]] static void compute(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever becomes of the parent, nobody computes for ever
    if (getppid() != parent) _exit(0);
    for (unsigned long i = 0;; ++i) __asm__ volatile("" : : "r"(i));
  }

  std::vector<pid_t> children_;
};

}  // namespace threads
