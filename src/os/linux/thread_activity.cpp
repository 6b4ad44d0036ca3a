// SPDX-License-Identifier: Apache-2.0
#include "os/thread_activity.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ashlar::inline v1::os {

namespace {

// The beginning of a file of the thread's; the text is empty if there is none.
struct task_file {
  char text[2048] = "";

  task_file(int thread, char const* file) noexcept {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread, file);
    std::FILE* const f = std::fopen(path, "re");
    if (f == nullptr) return;
    std::size_t const n = std::fread(text, 1, sizeof text - 1, f);
    std::fclose(f);
    text[n] = '\0';
  }
};

void read_stat(int thread, thread_look& look) noexcept {
  task_file const stat(thread, "stat");
  // "tid (name) state ...", and the name may hold anything.
  char const* const open = std::strchr(stat.text, '(');
  char const* const close = std::strrchr(stat.text, ')');
  if (open == nullptr || close == nullptr || close < open) return;
  std::snprintf(look.name, sizeof look.name, "%.*s", static_cast<int>(close - open - 1), open + 1);
  unsigned long long user = 0;
  unsigned long long system = 0;
  char state = '?';
  if (std::sscanf(close + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &state, &user, &system) == 3) {
    look.state = state;
    look.cpu = user + system;
  }
}

struct known_call {
  long number;
  char const* name;
};
constexpr known_call calls[] = {
    {SYS_futex, "futex"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_sendto, "sendto"},
    {SYS_sendmsg, "sendmsg"},
#ifdef SYS_accept
    {SYS_accept, "accept"},
#endif
    {SYS_accept4, "accept4"},
    {SYS_connect, "connect"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_fsync, "fsync"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_msgsnd, "msgsnd"},
#ifdef SYS_semop
    {SYS_semop, "semop"},
#endif
    {SYS_semtimedop, "semtimedop"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_pread64, "pread"},
    {SYS_pwrite64, "pwrite"},
    {SYS_openat, "openat"},
    {SYS_rt_sigtimedwait, "sigtimedwait"},
    {SYS_rt_sigsuspend, "sigsuspend"},
    {SYS_io_getevents, "io_getevents"},
#if defined(__x86_64__)
    {SYS_poll, "poll"},
    {SYS_select, "select"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_pause, "pause"},
    {SYS_open, "open"},
#endif
};

}  // namespace

thread_look look_at_thread(int thread) noexcept {
  thread_look look;
  read_stat(thread, look);
  task_file const status(thread, "status");
  if (char const* const line = std::strstr(status.text, "\nvoluntary_ctxt_switches:")) {
    look.sleeps = std::strtoull(line + std::strlen("\nvoluntary_ctxt_switches:"), nullptr, 10);
  }
  task_file const call(thread, "syscall");
  char* end = nullptr;
  long const number = std::strtol(call.text, &end, 10);
  if (end != call.text) look.call = number;
  return look;
}

activity between(thread_look const& first, thread_look const& second) noexcept {
  // A loop of short sleeps may be met while it runs, but it doesn't take the processor for long.
  constexpr std::uint64_t few = 1;
  bool const slept = second.sleeps > first.sleeps + 1;  // once: it has just begun to block
  bool const ran = second.cpu > first.cpu + few;
  if (ran || (second.state == 'R' && !slept)) return activity::computes;
  if (slept) return activity::polls;
  bool const timed = second.call == SYS_nanosleep || second.call == SYS_clock_nanosleep;
  return timed ? activity::sleeps : activity::blocks;
}

bool lacks_processor(thread_look const& first, thread_look const& second) noexcept {
  return second.state == 'R' && second.cpu == first.cpu;
}

switches own_switches() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {usage.ru_nvcsw, usage.ru_nivcsw};
}

std::uint64_t own_queued_ns() noexcept {
  int const stat = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (stat < 0) return unknown_wait;
  char text[64] = {};
  ssize_t const length = ::read(stat, text, sizeof text - 1);
  ::close(stat);
  char* second = nullptr;
  if (length <= 0) return unknown_wait;
  std::strtoull(text, &second, 10);
  return std::strtoull(second, nullptr, 10);
}

bool read_memory(void const* from, void* to, std::size_t bytes) noexcept {
  iovec const here{to, bytes};
  iovec const there{const_cast<void*>(from), bytes};
  return ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

char const* name_of_call(long number) noexcept {
  for (known_call const& c : calls) {
    if (c.number == number) return c.name;
  }
  return nullptr;
}

void for_each_thread(void (*take)(int thread, void* context) noexcept, void* context) noexcept {
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return;
  while (dirent const* const entry = readdir(folder)) {
    int const thread = std::atoi(entry->d_name);
    if (thread > 0) take(thread, context);
  }
  closedir(folder);
}

}  // namespace ashlar::inline v1::os
