// SPDX-License-Identifier: Apache-2.0
// Preloaded: every thread of the process but the storm's own gets SIGPROF some thousand times a second, and no system
// call goes on by itself afterwards (no SA_RESTART). Children that are forked have fair weather.
#include <dirent.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>

namespace {

void ignore(int) {}

void signal_all(pid_t process, pid_t self) {
  DIR* const threads = ::opendir("/proc/self/task");
  if (threads == nullptr) return;
  while (dirent const* const entry = ::readdir(threads)) {
    auto const thread = static_cast<pid_t>(std::atoi(entry->d_name));
    if (thread > 0 && thread != self) ::syscall(SYS_tgkill, process, thread, SIGPROF);
  }
  ::closedir(threads);
}

void* rage(void*) {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);  // what the program handles is for its own threads
  pid_t const process = ::getpid();
  auto const self = static_cast<pid_t>(::syscall(SYS_gettid));
  for (timespec const pause{0, 100'000};; ::nanosleep(&pause, nullptr)) signal_all(process, self);
  return nullptr;
}

[[gnu::constructor]] void begin() {
  struct sigaction action{};
  action.sa_handler = ignore;
  ::sigaction(SIGPROF, &action, nullptr);
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, rage, nullptr) != 0) std::abort();
  ::pthread_detach(thread);
}

}  // namespace
