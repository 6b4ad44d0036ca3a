// SPDX-License-Identifier: Apache-2.0
// The hang report: a deadlock by nesting is told, its cure works, and work that goes on is not told.
#include "os/thread.h"
#include "os/thread_activity.h"

#include <ashlar/sched/report/hang_report.h>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <support/death.h>
#include <support/thread_team.h>

#include <doctest/doctest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <string>
#include <thread>

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool tsan = true;  // can't start threads in a forked child
#else
constexpr bool tsan = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
constexpr bool asan =
    true;  // its allocator may be locked in a child if a thread of the parent begins or ends meanwhile
#else
constexpr bool asan = false;
#endif

void wait_until(std::atomic<bool> const& flag) {
  while (!flag.load()) std::this_thread::yield();
}

// A task holds a lock while it waits for work that another thread does; meanwhile its thread takes a second task, which
// wants the lock. A semaphore, because a mutex must not be locked twice by a thread.
struct nesting {
  std::binary_semaphore lock{1};
  std::atomic<bool> taken{false};    // by the worker
  std::atomic<bool> release{false};  // what the worker waits for
  std::atomic<bool> second_begun{false};
  std::atomic<bool> second_done{false};

  void hold_and_wait(bool let_go) {
    lock.acquire();
    tbb::task_group inner;
    inner.run([this] {
      taken = true;
      wait_until(release);
    });
    wait_until(taken);
    tbb::this_task_arena::enqueue([this] {
      second_begun = true;
      lock.acquire();
      lock.release();
      second_done = true;
    });
    if (let_go) inner.run([this] { release = true; });
    inner.wait();
    lock.release();
  }
};

void deadlock() {
  static nesting n;
  std::thread([] {
    wait_until(n.second_begun);
    n.release = true;
  }).detach();
  n.hold_and_wait(false);
}

// Runs `hang` in a child whose watch is on, until a report is out.
template <typename Hang>
test::death reported(Hang const& hang) {
  if (!asan) {
    ashlar::sched::watch_for_hangs(1000000);  // this process's thread isn't the child's
    ashlar::sched::watch_for_hangs(0);
  }
  return test::run_in_child([&] {
    ashlar::sched::watch_for_hangs(100);
    std::thread([hang] {
      test::thread_team const two(2);
      hang();
    }).detach();
    // A thread that computes could be what the others wait for.
    while (ashlar::sched::hangs_reported() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    _exit(ashlar::sched::hangs_reported() == 1 ? 0 : 1);
  });
}

bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

int count_of(std::string const& text, std::string const& part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

// Keeps what the process writes to stderr, so that it can look for a report's end.
class errors_so_far {
 public:
  errors_so_far() { dup2(file_, STDERR_FILENO); }
  std::string text() const {
    std::string all;
    char part[4096];
    for (ssize_t n; (n = pread(file_, part, sizeof part, static_cast<off_t>(all.size()))) > 0;) {
      all.append(part, static_cast<std::size_t>(n));
    }
    return all;
  }
  void pass_on() const {
    dup2(before_, STDERR_FILENO);
    std::fputs(text().c_str(), stderr);
  }

 private:
  int before_ = dup(STDERR_FILENO);
  int file_ = fileno(std::tmpfile());
};

}  // namespace

TEST_CASE("a deadlock by nesting is reported, with who waits for what" * doctest::skip(tsan)) {
  test::death const end = reported(deadlock);
  INFO(end.errors);
  CHECK(end.exited);
  CHECK(end.code == 0);
  CHECK(has(end.errors, ": a hang"));
  CHECK(has(end.errors, "waits for a task group"));
  CHECK(has(end.errors, "there it took another job"));
  CHECK(has(end.errors, "this_task_arena::isolate"));
  CHECK(has(end.errors, "slot 0: application thread"));
}

TEST_CASE("a call that waits for a slot is reported" * doctest::skip(tsan)) {
  test::death const end = reported([] {
    static tbb::task_arena small(1, 1);
    small.execute([] {
      std::thread([] { small.execute([] {}); }).detach();
      for (;;) std::this_thread::yield();
    });
  });
  INFO(end.errors);
  CHECK(end.code == 0);
  CHECK(has(end.errors, "waits for a slot in a full arena"));
  CHECK(has(end.errors, "1 threads wait for a slot"));
}

TEST_CASE("tasks that block outside of the library are reported with their backtraces" * doctest::skip(tsan)) {
  auto const hang = [] {
    static std::binary_semaphore never{0};
    tbb::task_group g;
    for (int i = 0; i < 4; ++i) g.run([] { never.acquire(); });
    g.wait();
  };
  // A machine that stands still for a while wakes threads for a moment, which then are told of as going on.
  test::death end = reported(hang);
  for (int i = 0; i < 10 && !has(end.errors, "is inside of a task, which blocks"); ++i) end = reported(hang);
  INFO(end.errors);
  CHECK(end.code == 0);
  CHECK(has(end.errors, ": a hang"));
  CHECK(has(end.errors, "is inside of a task, which blocks"));
  CHECK(has(end.errors, "    task: "));
  CHECK(has(end.errors, "      #1 "));
}

TEST_CASE("a report on demand tells of a task that blocks, by a call and by a signal" * doctest::skip(tsan || asan)) {
  test::death const end = test::run_in_child([] {
    static std::binary_semaphore go{0};
    static std::atomic<int> task{0};  // its thread's number
    errors_so_far errors;
    if (!ashlar::sched::report_hangs_on_signal(SIGUSR2)) _exit(1);
    std::signal(SIGUSR1, SIG_IGN);
    if (ashlar::sched::report_hangs_on_signal(SIGUSR1) || ashlar::sched::report_hangs_on_signal(SIGKILL)) _exit(2);
    std::thread([] {
      tbb::task_group g;
      g.run_and_wait([] {
        task = ashlar::os::thread_id();
        go.acquire();
      });
    }).detach();
    while (task == 0 || ashlar::os::look_at_thread(task).state != 'S') std::this_thread::yield();
    // A thread that the machine interrupted on its way to sleep, or woke, is told of as one that looks again: a later
    // report tells that it blocks.
    auto const reports = [&] { return count_of(errors.text(), "ashlar: end of the report"); };
    auto const blocks = [&] { return count_of(errors.text(), "is inside of a task, which blocks"); };
    for (int i = 0; i < 100 && blocks() == 0; ++i) ashlar::sched::print_hang_report();
    int const on_demand = blocks();
    for (int i = 0; i < 100 && blocks() == on_demand; ++i) {
      int const before = reports();
      raise(SIGUSR2);
      while (reports() == before) std::this_thread::yield();  // the watching thread prints
    }
    errors.pass_on();
    _exit(ashlar::sched::hangs_reported() == 0 ? 0 : 3);
  });
  INFO(end.errors);
  CHECK(end.code == 0);
  CHECK(has(end.errors, "a report was asked for"));
  CHECK(count_of(end.errors, "is inside of a task, which blocks") == 2);
}

TEST_CASE("isolate keeps the second task away from the thread that holds the lock") {
  test::thread_team const two(2);
  for (int i = 0; i < 20; ++i) {
    nesting n;
    tbb::this_task_arena::isolate([&n] { n.hold_and_wait(true); });
    wait_until(n.second_done);
  }
}

TEST_CASE("work that goes on is not reported, and the watch ends") {
  using clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  // A try in which the machine let the work lie for half of the watch's time proves nothing.
  for (bool went_on = false; !went_on;) {
    went_on = true;
    unsigned const before = ashlar::sched::hangs_reported();
    ashlar::sched::watch_for_hangs(400);
    auto const until = clock::now() + milliseconds(600);
    for (auto last = clock::now(), now = last; now < until; last = now) {
      tbb::parallel_for(0, 100, [](int) {});
      now = clock::now();
      went_on = went_on && now - last < milliseconds(200);
    }
    ashlar::sched::watch_for_hangs(0);
    if (went_on) CHECK(ashlar::sched::hangs_reported() == before);
  }
}
