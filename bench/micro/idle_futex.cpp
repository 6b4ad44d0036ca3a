// SPDX-License-Identifier: Apache-2.0
// The idle and wake measurements with a thread that sleeps in a futex and nothing else; idle.h has them. What the
// kernel takes to wake a thread is the floor for every library whose idle workers sleep.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "idle.h"

namespace {

class sleeper {
 public:
  sleeper() : thread_([this] { serve(); }) {}
  ~sleeper() {
    ask(stop);
    thread_.join();
  }

  void run(std::function<void()> work) {
    work_ = std::move(work);
    ask(asked);
  }
  void wait() const {
    while (state_.load(std::memory_order_acquire) != idle) {  // pairs with the release in serve
      bench::short_pause();
    }
  }

 private:
  enum : std::uint32_t { idle, asked, stop };

  void ask(std::uint32_t what) {
    state_.store(what, std::memory_order_release);  // pairs with the acquire in serve
    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
  void serve() {
    for (;;) {
      std::uint32_t const now = state_.load(std::memory_order_acquire);  // pairs with the release in ask
      if (now == stop) {
        return;
      }
      if (now == asked) {
        work_();
        state_.store(idle, std::memory_order_release);  // pairs with the acquire in wait
      } else {
        syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, idle, nullptr, nullptr, 0);
      }
    }
  }

  std::atomic<std::uint32_t> state_{idle};
  std::function<void()> work_;
  std::thread thread_;
};

sleeper* other = nullptr;

struct library {
  template <typename F>
  static int with_threads(int n, F f) {
    if (n != 2) {
      bench::usage("needs --threads", "2");
    }
    sleeper thread;
    other = &thread;
    return f();
  }
  template <typename Body>
  static void two_items(Body body) {
    other->run(body);
    body();
    other->wait();
  }
  template <typename Body>
  static void region(int n, Body body) {
    body(0, n);  // 64 empty iterations: nobody is worth waking
  }
};

}  // namespace

int main(int argc, char** argv) { return bench::idle_main<library>(argc, argv); }
