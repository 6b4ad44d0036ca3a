// SPDX-License-Identifier: Apache-2.0
// A stack overflow is told in one line, and the signal's default action follows; other faults and programs with a
// handler of their own see nothing of it.
#include <support/death.h>

#include "obs/overflow_watch.h"
#include "sched/api/overflow_text.h"

#include <doctest/doctest.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<int> sink{0};

// Each step needs a frame.
__attribute__((noinline)) int deeper(int n) {
  char volatile frame[1000];
  frame[static_cast<unsigned>(n) % 1000] = 1;
  int const below = n < 0 ? 0 : deeper(n + 1);
  return below + frame[0];
}

void overflow() { sink = deeper(1); }

// In a process of its own, whose workers have small stacks, and in which nobody handles the signal.
template <typename Body>
test::death dies(Body const& body) {
  return test::run_in_child([&] {
    ashlar::sched::watch_overflows_now();
    tbb::global_control const stacks(tbb::global_control::thread_stack_size, 256 * 1024);
    tbb::global_control const threads(tbb::global_control::max_allowed_parallelism, 2);
    body();
  });
}

void overflow_in_worker() {
  tbb::task_group g;
  auto const main = std::this_thread::get_id();
  std::atomic<bool> runs{false};
  g.run([&] {
    if (std::this_thread::get_id() == main) return;
    runs = true;
    overflow();
  });
  while (!runs) std::this_thread::yield();
  g.wait();
}

bool tells(std::string const& errors) {
  return errors.find("ashlar: stack overflow: thread ") != std::string::npos &&
         errors.find("arena 0x") != std::string::npos && errors.find("deeper") != std::string::npos &&
         errors.find('\n') == errors.size() - 1;
}

}  // namespace

TEST_CASE("a worker's stack overflow is told with the task's depth, the arena and the function") {
  test::death const end = dies(&overflow_in_worker);
  CHECK(end.by_signal(SIGSEGV));
  CHECK_MESSAGE(tells(end.errors), end.errors);
  CHECK(end.errors.find("(a worker)") != std::string::npos);
  CHECK(end.errors.find("in a task of depth ") != std::string::npos);
}

TEST_CASE("that of a stack beside a suspended task's") {
  test::death const end = dies([] {
    tbb::task_group g;
    g.run([&] {
      // The call runs on another stack.
      tbb::task::suspend([](tbb::task::suspend_point) { overflow(); });
    });
    g.wait();
  });
  CHECK(end.by_signal(SIGSEGV));
  CHECK_MESSAGE(tells(end.errors), end.errors);
}

TEST_CASE("that of the main thread") {
  test::death const end = dies([] { tbb::parallel_for(0, 1, [](int) { overflow(); }); });
  CHECK(end.by_signal(SIGSEGV));
  CHECK_MESSAGE(tells(end.errors), end.errors);
}

TEST_CASE("other faults are not, and signals that are sent end the process as before") {
  test::death const fault =
      dies([] { tbb::parallel_for(0, 1, [](int) { *reinterpret_cast<int volatile*>(std::uintptr_t{16}) = 1; }); });
  CHECK(fault.by_signal(SIGSEGV));
  CHECK(fault.errors.empty());
  test::death const sent = dies([] { tbb::parallel_for(0, 1, [](int) { std::raise(SIGSEGV); }); });
  CHECK(sent.by_signal(SIGSEGV));
  CHECK(sent.errors.empty());
}

TEST_CASE("a program's handler stays, whether it was set before or after") {
  auto const ends = [](int) { std::_Exit(7); };
  test::death const before = test::run_in_child([&] {
    std::signal(SIGSEGV, ends);
    if (ashlar::sched::watch_overflows_now()) std::_Exit(8);
    tbb::parallel_for(0, 1, [](int) { std::raise(SIGSEGV); });
  });
  CHECK((before.exited && before.code == 7 && before.errors.empty()));
  test::death const after = dies([&] {
    tbb::parallel_for(0, 1, [](int) {});
    std::signal(SIGSEGV, ends);
    std::raise(SIGSEGV);
  });
  CHECK((after.exited && after.code == 7 && after.errors.empty()));
}

TEST_CASE("a stack for signals that the program has stays") {
  test::death const end = dies([] {
    static char own[64 * 1024];
    stack_t mine{};
    mine.ss_sp = own;
    mine.ss_size = sizeof(own);
    sigaltstack(&mine, nullptr);
    {
      ashlar::obs::signal_stack const another;
    }
    tbb::parallel_for(0, 1, [](int) {});
    stack_t now{};
    sigaltstack(nullptr, &now);
    std::_Exit(now.ss_sp == own && now.ss_size == sizeof(own) && now.ss_flags == 0 ? 7 : 8);
  });
  CHECK((end.exited && end.code == 7));
  test::death const later = dies([] {
    static char own[64 * 1024];
    stack_t mine{};
    mine.ss_sp = own;
    mine.ss_size = sizeof(own);
    std::thread([&] {
      {
        ashlar::obs::signal_stack const first;
        sigaltstack(&mine, nullptr);
      }
      stack_t now{};
      sigaltstack(nullptr, &now);
      std::_Exit(now.ss_sp == own ? 7 : 8);
    }).join();
  });
  CHECK((later.exited && later.code == 7));
}

TEST_CASE("a program can do without") {
  test::death const end = test::run_in_child([] {
    setenv("ASHLAR_STACK_REPORT", "0", 1);
    std::_Exit(ashlar::sched::watch_overflows_now() ? 8 : 7);
  });
  CHECK((end.exited && end.code == 7));
}

#endif
