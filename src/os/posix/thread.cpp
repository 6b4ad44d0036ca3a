// SPDX-License-Identifier: Apache-2.0
// Threads on top of pthreads.
#include "os/thread.h"

#include "os/pages.h"
#include "os/thread_parts.h"

#include <ashlar/base/assert.h>
#include <ashlar/base/atomic.h>

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <new>

namespace ashlar::inline v1::os {
namespace {

constexpr std::size_t name_size = 16;

// What a new thread needs to know; it frees this itself.
struct launch {
  void (*fn)(void*);
  void* arg;
  char name[name_size];
};

void* run(void* p) noexcept {
  launch const l = *static_cast<launch*>(p);
  delete static_cast<launch*>(p);
  if (l.name[0] != '\0') name_own_thread(l.name);
  l.fn(l.arg);
  return nullptr;
}

// For the static library in a plugin: the module stays when the plugin is closed, because worker threads run in it.
// Several threads may do this at the same time: opening again changes nothing, and a lock here could dead-lock
// with the loader's.
void pin_module() noexcept {
  static atomic<bool> pinned{false};
  if (pinned.load(mo::relaxed) || is_kept_by_loader()) return;
  static char const address_in_module = 0;
  Dl_info info{};
  if (::dladdr(&address_in_module, &info) != 0 && !is_program(info.dli_fbase)) {
    ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    ::dlerror();  // a failure is not for the application's next dlerror() to find
  }
  pinned.store(true, mo::relaxed);
}

// Blocks the event signals for as long as it lives; a thread started meanwhile inherits the mask and has not a
// moment without it.
class event_signals_blocked {
 public:
  event_signals_blocked() noexcept {
    sigset_t events;
    sigemptyset(&events);
    for (int s : {SIGALRM, SIGCHLD, SIGIO, SIGURG, SIGWINCH}) sigaddset(&events, s);
    ::pthread_sigmask(SIG_BLOCK, &events, &before_);
  }
  event_signals_blocked(event_signals_blocked const&) = delete;
  event_signals_blocked& operator=(event_signals_blocked const&) = delete;
  ~event_signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// SIZE_MAX in the unlikely case that rounding up overflows: pthread_create then refuses.
std::size_t usable_stack_size(std::size_t wanted) noexcept {
  long const least = ::sysconf(_SC_THREAD_STACK_MIN);
  std::size_t size = least > 0 ? static_cast<std::size_t>(least) : std::size_t{16384};
  if (wanted > size) size = wanted;
  std::size_t const page = page_size();
  return size > SIZE_MAX - page ? SIZE_MAX / page * page : (size + page - 1) / page * page;
}

bool start(pthread_t& thread, launch const& what, std::size_t stack_size, int detach_state) noexcept {
  pin_module();
  auto* const l = new (std::nothrow) launch(what);
  if (l == nullptr) return false;
  pthread_attr_t attributes;
  bool started = false;
  if (::pthread_attr_init(&attributes) == 0) {
    bool const sized = stack_size == 0 || ::pthread_attr_setstacksize(&attributes, usable_stack_size(stack_size)) == 0;
    ::pthread_attr_setdetachstate(&attributes, detach_state);
    event_signals_blocked const scope;
    started = sized && ::pthread_create(&thread, &attributes, run, l) == 0;
    ::pthread_attr_destroy(&attributes);
  }
  if (!started) delete l;
  return started;
}

launch make_launch(void (*fn)(void*), void* arg, char const* name) noexcept {
  launch l{fn, arg, {}};
  if (name != nullptr) std::strncpy(l.name, name, name_size - 1);
  return l;
}

}  // namespace

bool start_detached(void (*fn)(void*), void* arg, std::size_t stack_size, char const* name) noexcept {
  pthread_t thread{};
  return start(thread, make_launch(fn, arg, name), stack_size, PTHREAD_CREATE_DETACHED);
}

thread_handle start_joinable(void (*fn)(void*), void* arg, std::size_t stack_size, char const* name) noexcept {
  pthread_t thread{};
  bool const started = start(thread, make_launch(fn, arg, name), stack_size, PTHREAD_CREATE_JOINABLE);
  return started ? thread_handle(thread) : thread_handle();
}

thread_handle& thread_handle::operator=(thread_handle&& other) noexcept {
  ASHLAR_ASSERT(!owns_, "a thread must be joined before its handle is assigned to");
  thread_ = other.thread_;
  owns_ = other.owns_;
  other.owns_ = false;
  return *this;
}

thread_handle::~thread_handle() { ASHLAR_ASSERT(!owns_, "a thread must be joined before its handle is destroyed"); }

void thread_handle::join() noexcept {
  if (!owns_) return;
  owns_ = false;
  ::pthread_join(thread_, nullptr);
}

void yield() noexcept { ::sched_yield(); }

void sleep_ns(std::uint64_t nanoseconds) noexcept {
  timespec left{static_cast<time_t>(nanoseconds / 1'000'000'000u), static_cast<long>(nanoseconds % 1'000'000'000u)};
  int const saved = errno;
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  errno = saved;
}

}  // namespace ashlar::inline v1::os
