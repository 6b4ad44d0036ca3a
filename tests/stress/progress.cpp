// SPDX-License-Identifier: Apache-2.0
// Every wait ends: random programs without a cycle (support/random_waits.h) end, and lose no task.
//
// ASHLAR_STRESS_ROUNDS: programs (default: 150, or as many as take ten seconds); ASHLAR_STRESS_SEED: the first one's
// number. ASHLAR_HANG_REPORT tells more of a hang.
#include <ashlar/sched/report/hang_report.h>

#include <doctest/doctest.h>
#include <support/random_waits.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

// Ends the process if a program does not end. Time in which the process does not run is not counted.
class hang_alarm {
 public:
  hang_alarm() : thread_([this] { watch(); }) {}
  ~hang_alarm() {
    over_ = true;
    thread_.join();
  }
  void begins(std::uint64_t seed) { seed_ = seed; }

 private:
  void watch() {
    std::uint64_t seen = 0;
    int looks = 0;
    while (!over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::uint64_t const now = seed_;
      looks = now == seen ? looks + 1 : 0;
      seen = now;
      if (looks < most_looks) continue;
      std::fprintf(stderr, "progress: program %llu hangs\n", static_cast<unsigned long long>(now));
      ashlar::sched::print_hang_report();
      std::abort();
    }
  }

  static constexpr int most_looks = 30000;  // five minutes
  std::atomic<std::uint64_t> seed_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

std::uint64_t number_from(char const* variable, std::uint64_t otherwise) {
  char const* const text = std::getenv(variable);
  return text != nullptr ? std::stoull(text) : otherwise;
}

}  // namespace

TEST_CASE("random programs without a cycle end") {
  using steady = std::chrono::steady_clock;
  bool const all = std::getenv("ASHLAR_STRESS_ROUNDS") != nullptr;
  auto const end = steady::now() + std::chrono::seconds(10);
  std::uint64_t const first = number_from("ASHLAR_STRESS_SEED", 1);
  std::uint64_t const programs = number_from("ASHLAR_STRESS_ROUNDS", 150);
  hang_alarm alarm;
  for (std::uint64_t i = 0; i < programs && (all || steady::now() < end); ++i) {
    alarm.begins(first + i);
    test::random_waits::run_program(first + i);
  }
  CHECK(test::random_waits::lost == 0);
}
