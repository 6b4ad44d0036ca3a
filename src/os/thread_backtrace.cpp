// SPDX-License-Identifier: Apache-2.0
#include "os/thread_backtrace.h"

#include "os/futex.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ashlar {
inline namespace v1 {
namespace os {

namespace {

constexpr int most = 24;
void* frames[most];
int count = 0;
// The thread that is asked; then 0.
// [BT1] the handler: release, after the frames -> [BT2] print_backtrace: acquire
atomic<std::uint32_t> asked{0};

void take(int) {
  int const error = errno;
  auto const me = static_cast<std::uint32_t>(syscall(SYS_gettid));
  if (asked.load(mo::relaxed) == me) {
    count = backtrace(frames, most);
    asked.store(0, mo::release);  // [BT1]
    futex_wake(asked, 1);
  }
  errno = error;
}

void print_frame(int number, void* at) noexcept {
  Dl_info about{};
  if (dladdr(at, &about) == 0 || about.dli_fname == nullptr) {
    std::fprintf(stderr, "      #%d %p\n", number, at);
    return;
  }
  char const* const slash = std::strrchr(about.dli_fname, '/');
  std::fprintf(stderr, "      #%d %s+%#tx %s\n", number, slash != nullptr ? slash + 1 : about.dli_fname,
               static_cast<char*>(at) - static_cast<char*>(about.dli_fbase),
               about.dli_sname != nullptr ? about.dli_sname : "");
}

}  // namespace

bool print_backtrace(int thread) noexcept {
  backtrace(frames, 1);  // loads the unwinder, which must not happen in a handler
  struct sigaction mine{}, before{};
  mine.sa_handler = &take;
  mine.sa_flags = SA_RESTART;
  if (sigaction(SIGCONT, &mine, &before) != 0) return false;
  auto const wanted = static_cast<std::uint32_t>(thread);
  asked.store(wanted, mo::relaxed);
  bool answered = false;
  if (syscall(SYS_tgkill, getpid(), thread, SIGCONT) == 0) {
    constexpr std::uint64_t moment = 50'000'000;
    for (int i = 0; i < 10 && asked.load(mo::acquire) == wanted; ++i) futex_wait_for(asked, wanted, moment);  // [BT2]
    std::uint32_t expected = wanted;
    answered = !asked.compare_exchange(expected, 0, mo::acquire, mo::acquire);  // [BT2]
  }
  sigaction(SIGCONT, &before, nullptr);
  if (!answered) {
    std::fputs("      no backtrace: the thread doesn't answer\n", stderr);
    return false;
  }
  constexpr int own = 2;  // the handler's frames
  for (int i = own; i < count; ++i) print_frame(i - own, frames[i]);
  return true;
}

}  // namespace os
}  // namespace v1
}  // namespace ashlar
