// SPDX-License-Identifier: Apache-2.0
#include "os/futex.h"

#include "os/clock.h"

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

using namespace ashlar;

namespace {

using word = atomic<std::uint32_t>;

// A thread that announces itself, then does one thing that blocks, then announces that it is through.
class sleeper {
 public:
  template <typename F>
  explicit sleeper(F block)
      : thread_([this, block] {
          tid_.store(static_cast<int>(::syscall(SYS_gettid)), mo::release);
          block();
          awake_.store(true, mo::release);
        }) {}
  ~sleeper() { thread_.join(); }

  bool awake() const { return awake_.load(mo::acquire); }
  pthread_t handle() { return thread_.native_handle(); }

  void wait_until_asleep() const {
    while (tid_.load(mo::acquire) == 0) std::this_thread::yield();
    while (state() != 'S') std::this_thread::yield();
  }
  void wait_until_asleep_or_done() const {
    while (tid_.load(mo::acquire) == 0) std::this_thread::yield();
    while (!awake() && state() != 'S') std::this_thread::yield();
  }

 private:
  char state() const {
    std::ifstream file("/proc/self/task/" + std::to_string(tid_.load(mo::acquire)) + "/stat");
    std::string text;
    std::getline(file, text);
    auto const end_of_name = text.rfind(')');
    return end_of_name == std::string::npos ? 'X' : text.at(end_of_name + 2);
  }

  atomic<int> tid_{0};
  atomic<bool> awake_{false};
  std::thread thread_;
};

#if !ASHLAR_TSAN  // under which a handler runs only when the thread comes to a call that TSan knows
atomic<int> signals_seen{0};

class user_signal {
 public:
  user_signal() {
    signals_seen.store(0, mo::relaxed);
    struct sigaction action{};
    action.sa_handler = [](int) { signals_seen.fetch_add(1, mo::relaxed); };  // without SA_RESTART
    ::sigaction(SIGUSR1, &action, &before_);
  }
  ~user_signal() { ::sigaction(SIGUSR1, &before_, nullptr); }
  // Returns when the handler has run in that thread, or the thread came awake and runs no handler any more.
  void send(sleeper& s) {
    int const seen = signals_seen.load(mo::relaxed);
    REQUIRE(::pthread_kill(s.handle(), SIGUSR1) == 0);
    while (signals_seen.load(mo::relaxed) == seen && !s.awake()) std::this_thread::yield();
  }

 private:
  struct sigaction before_{};
};

#endif

}  // namespace

TEST_CASE("futex: a wait on another value returns at once") {
  word w{5};
  os::futex_wait(w, 4);
  CHECK(os::futex_wait_for(w, 4, 60'000'000'000));
  CHECK(w.load(mo::relaxed) == 5);
}

TEST_CASE("futex: a wake ends a wait") {
  word w{0};
  sleeper s([&] {
    while (w.load(mo::acquire) == 0) os::futex_wait(w, 0);
  });
  s.wait_until_asleep();
  CHECK_FALSE(s.awake());
  w.store(1, mo::release);
  os::futex_wake(w, 1);
  while (!s.awake()) std::this_thread::yield();
}

TEST_CASE("futex: a wake for one leaves the others asleep, a wake for all does not") {
  word w{0};
  {
    auto const wait_once = [&] { os::futex_wait(w, 0); };
    std::array<sleeper, 3> sleepers{sleeper(wait_once), sleeper(wait_once), sleeper(wait_once)};
    auto const count_awake = [&] {
      int n = 0;
      for (auto const& s : sleepers) n += s.awake() ? 1 : 0;
      return n;
    };
    for (auto const& s : sleepers) s.wait_until_asleep();
    os::futex_wake(w, 1);
    while (count_awake() == 0) std::this_thread::yield();
    for (auto const& s : sleepers) {
      if (!s.awake()) s.wait_until_asleep();
    }
    CHECK(count_awake() == 1);
    os::futex_wake(w, INT_MAX);
    while (count_awake() < 3) std::this_thread::yield();
  }
}

TEST_CASE("futex: a timed wait ends not before its time") {
  word w{7};
  for (std::uint64_t span : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3'000'000}}) {
    std::uint64_t const start = os::now_ns();
    CHECK_FALSE(os::futex_wait_for(w, 7, span));
    CHECK(os::now_ns() - start >= span);
  }
}

TEST_CASE("futex: a wake ends a timed wait, also one that reaches beyond the end of the clock") {
  constexpr auto longest = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t span : {std::uint64_t{3'600'000'000'000}, longest / 2, longest}) {
    CAPTURE(span);
    word w{0};
    atomic<bool> in_time{false};
    sleeper s([&] { in_time.store(os::futex_wait_for(w, 0, span), mo::relaxed); });
    s.wait_until_asleep();
    os::futex_wake(w, 1);
    while (!s.awake()) std::this_thread::yield();
    CHECK(in_time.load(mo::relaxed));
  }
}

#if !ASHLAR_TSAN
TEST_CASE("futex: signals do not end a wait") {
  user_signal signal;
  word w{0};
  sleeper s([&] { os::futex_wait(w, 0); });
  for (int i = 0; i < 20; ++i) {
    s.wait_until_asleep();
    signal.send(s);
  }
  s.wait_until_asleep();
  CHECK_FALSE(s.awake());
  os::futex_wake(w, 1);
  while (!s.awake()) std::this_thread::yield();
}

TEST_CASE("futex: signals neither end nor lengthen a timed wait") {
  constexpr std::uint64_t span = 20'000'000;
  constexpr int too_many = 100'000;  // a wait that started over after each signal would not end while they come
  int seen = 0;
  while (seen < 10) {  // a try in which this thread was not running proves nothing
    user_signal signal;
    word w{0};
    atomic<std::uint64_t> slept{0};
    atomic<bool> woken{true};
    {
      sleeper s([&] {
        std::uint64_t const start = os::now_ns();
        woken.store(os::futex_wait_for(w, 0, span), mo::relaxed);
        slept.store(os::now_ns() - start, mo::relaxed);
      });
      s.wait_until_asleep_or_done();
      while (!s.awake() && signals_seen.load(mo::relaxed) < too_many) signal.send(s);
    }
    seen = signals_seen.load(mo::relaxed);
    CHECK(seen < too_many);
    CHECK_FALSE(woken.load(mo::relaxed));
    CHECK(slept.load(mo::relaxed) >= span);
  }
}
#endif

TEST_CASE("futex: errno stays as it was") {
  word w{1};
  errno = EDOM;
  os::futex_wait(w, 0);
  os::futex_wait_for(w, 1, 1000);
  os::futex_wake(w, 1);
  CHECK(errno == EDOM);
}
