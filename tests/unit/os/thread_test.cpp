// SPDX-License-Identifier: Apache-2.0
#include "os/thread.h"

#include "os/futex.h"

#include "child_process.h"

#include <ashlar/base/atomic.h>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>

using namespace ashlar;

namespace {

// What a thread found out about itself; done becomes 1 at its end.
struct report {
  char name[32] = {};
  sigset_t mask{};
  os::stack_bounds stack;
  char* local = nullptr;
  atomic<std::uint32_t> done{0};
};

void look_around(void* p) {
  auto& r = *static_cast<report*>(p);
  char here = 0;
  r.local = &here;
  ::pthread_getname_np(::pthread_self(), r.name, sizeof(r.name));
  ::pthread_sigmask(SIG_SETMASK, nullptr, &r.mask);
  r.stack = os::current_stack();
  r.done.store(1, mo::release);
  os::futex_wake(r.done, INT_MAX);
}

void wait(report& r) {
  while (r.done.load(mo::acquire) == 0) os::futex_wait(r.done, 0);
}

void nothing(void*) {}

constexpr int event_signals[] = {SIGALRM, SIGCHLD, SIGIO, SIGURG, SIGWINCH};

}  // namespace

TEST_CASE("thread: a detached thread runs the function with its argument and has its name") {
  static report r;  // the thread may touch it for a moment after done is seen
  REQUIRE(os::start_detached(look_around, &r, 0, "ashlar worker 1"));
  wait(r);
  CHECK(std::string(r.name) == "ashlar worker 1");
}

TEST_CASE("thread: long names are cut, no name is no error") {
  report r;
  os::thread_handle t = os::start_joinable(look_around, &r, 0, "a name of more than fifteen characters");
  REQUIRE(t);
  t.join();
  CHECK(std::string(r.name) == "a name of more ");
  os::thread_handle unnamed = os::start_joinable(nothing, nullptr, 0, nullptr);
  REQUIRE(unnamed);
  unnamed.join();
}

TEST_CASE("thread: join waits and makes the thread's work visible") {
  for (int i = 0; i < 100; ++i) {
    int value = 0;
    os::thread_handle t = os::start_joinable([](void* p) { *static_cast<int*>(p) = 42; }, &value, 0, "w");
    REQUIRE(t);
    os::thread_handle moved = std::move(t);
    CHECK_FALSE(t);
    t.join();
    os::thread_handle assigned;
    assigned = std::move(moved);
    assigned.join();
    CHECK(value == 42);
    CHECK_FALSE(assigned);
    assigned.join();
  }
}

TEST_CASE("thread: signals of events are blocked in the new thread, all others are as in the starter") {
  sigset_t before;
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGUSR2);
  ::pthread_sigmask(SIG_SETMASK, &wanted, &before);
  report r;
  os::thread_handle t = os::start_joinable(look_around, &r, 0, "w");
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  REQUIRE(t);
  t.join();
  for (int s : event_signals) CHECK(::sigismember(&r.mask, s) == 1);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGFPE, SIGPROF, SIGUSR1, SIGPIPE}) {
    CHECK(::sigismember(&r.mask, s) == 0);
  }
  CHECK(::sigismember(&r.mask, SIGUSR2) == 1);
  for (int s = 1; s < NSIG; ++s) CHECK(::sigismember(&after, s) == ::sigismember(&wanted, s));
}

TEST_CASE("thread: stack sizes") {
  for (std::size_t size : {std::size_t{1}, std::size_t{100'000}, std::size_t{1} << 20, std::size_t{64} << 20}) {
    CAPTURE(size);
    report r;
    os::thread_handle t = os::start_joinable(look_around, &r, size, "w");
    REQUIRE(t);
    t.join();
    CHECK(r.stack.low < r.local);
    CHECK(r.local < r.stack.high);
    CHECK(static_cast<std::size_t>(r.stack.high - r.stack.low) + 65536 >= size);
  }
}

#if !ASHLAR_TSAN && !ASHLAR_ASAN  // these take a failed stack for a fatal error of their own
TEST_CASE("thread: a stack that can't be had is an error, not a crash") {
  CHECK_FALSE(os::start_detached(nothing, nullptr, SIZE_MAX, "w"));
  CHECK_FALSE(os::start_joinable(nothing, nullptr, SIZE_MAX / 2, "w"));
}
#endif

TEST_CASE("thread: the stack of the main thread") {
  char here = 0;
  os::stack_bounds const stack = os::current_stack();
  CHECK(stack.low < &here);
  CHECK(&here < stack.high);
  // The kernel names the stack's mapping; it may grow down from its end to the limit.
  std::ifstream maps("/proc/self/maps");
  std::uintptr_t end = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("[stack]") != std::string::npos) end = std::stoul(line.substr(line.find('-') + 1), nullptr, 16);
  }
  CHECK(reinterpret_cast<std::uintptr_t>(stack.high) <= end);
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_STACK, &limit) == 0);
  if (limit.rlim_cur > 128u << 20) return;  // glibc is asked, which leaves out the pages of the arguments
  CHECK(reinterpret_cast<std::uintptr_t>(stack.high) == end);
  CHECK(static_cast<rlim_t>(stack.high - stack.low) == limit.rlim_cur);
}

TEST_CASE("thread: the stack of the main thread without a limit") {
  CHECK(exit_code_of_child([] {
          rlimit const none{RLIM_INFINITY, RLIM_INFINITY};
          if (::setrlimit(RLIMIT_STACK, &none) != 0) return 0;  // not allowed to raise it: nothing to test
          char here = 0;
          os::stack_bounds const stack = os::current_stack();
          return stack.low < &here && &here < stack.high ? 0 : 1;
        }) == 0);
}

TEST_CASE("thread: yield returns") { os::yield(); }

#ifdef ASHLAR_TEST_PLUGIN
namespace {

bool is_mapped(char const* library) {
  void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

}  // namespace

// The plugin is a shared object with the os layer linked in statically.
TEST_CASE("thread: a plugin that started a thread stays mapped when it is closed") {
  constexpr char const* library = ASHLAR_TEST_PLUGIN;
  void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(handle != nullptr, ::dlerror());
  CHECK(is_mapped(library));
  ::dlclose(handle);
  REQUIRE_FALSE(is_mapped(library));  // else the rest would prove nothing

  handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  using start_function = bool (*)(std::uint32_t*);
  auto const start = reinterpret_cast<start_function>(::dlsym(handle, "plugin_start"));
  REQUIRE(static_cast<bool>(start));
  static atomic<std::uint32_t> word{0};  // 1: runs; 2: may end; 3: has ended
  REQUIRE(start(word.address()));
  while (word.load(mo::acquire) != 1) os::yield();
  ::dlclose(handle);
  CHECK(is_mapped(library));
  word.store(2, mo::release);
  while (word.load(mo::acquire) != 3) os::yield();
}
#endif
