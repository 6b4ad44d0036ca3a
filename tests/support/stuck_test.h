// SPDX-License-Identifier: Apache-2.0
// Tells which test case hangs, before CTest ends the whole program without a word: its name, and the scheduler's own
// report where the program has the scheduler.
#pragma once

#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace ashlar {
inline namespace v1 {
namespace sched {
[[gnu::weak]] void print_hang_report() noexcept;
}
}  // namespace v1
}  // namespace ashlar

namespace support {

struct stuck_test : doctest::IReporter {
  explicit stuck_test(doctest::ContextOptions const&) {
    // Neither the tests nor their children use this signal, and a child doesn't inherit the timer.
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMAX - 1;
    std::signal(event.sigev_signo, tell);
    have_timer_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
  }

  void test_case_start(doctest::TestCaseData const& test) override {
    running = &test;
    set(seconds);
  }
  void test_case_reenter(doctest::TestCaseData const&) override { set(seconds); }  // each pass through subcases
  void test_case_end(doctest::CurrentTestCaseStats const&) override { set(0); }

  void report_query(doctest::QueryData const&) override {}
  void test_run_start() override {}
  void test_run_end(doctest::TestRunStats const&) override {}
  void test_case_exception(doctest::TestCaseException const&) override {}
  void subcase_start(doctest::SubcaseSignature const&) override {}
  void subcase_end() override {}
  void log_assert(doctest::AssertData const&) override {}
  void log_message(doctest::MessageData const&) override {}
  void test_case_skipped(doctest::TestCaseData const&) override {}

 private:
  // Less than CTest's limit, and many times what any test case takes.
  static constexpr int seconds = 800;

  inline static doctest::TestCaseData const* running = nullptr;

  // What it calls is not safe in a handler, but the program ends here either way.
  static void tell(int) {
    std::fprintf(stderr, "%s:%u: the test case \"%s\" has not ended within %d s\n", running->m_file.c_str(),
                 running->m_line, running->m_name, seconds);
    if (&ashlar::sched::print_hang_report != nullptr) ashlar::sched::print_hang_report();
    std::abort();
  }

  void set(int limit) noexcept {
    itimerspec when{};
    when.it_value.tv_sec = limit;
    if (have_timer_) timer_settime(timer_, 0, &when, nullptr);
  }

  timer_t timer_{};
  bool have_timer_ = false;
};

}  // namespace support
