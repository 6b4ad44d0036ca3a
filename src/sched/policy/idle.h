// SPDX-License-Identifier: Apache-2.0
// The idle policy: what a thread does after a round of thefts that brought nothing. Pure, so that the simulator
// compiles the same file.
#pragma once

#include <ashlar/os/tuning.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

// park: spin about as long as a wake-up takes, then sleep. yield: the same but giving the processor away between
// rounds. spin: never sleep (for measurements). tbb41: pause, and leave the arena after 100 failures (TBB 4.1).
enum class idle_policy : unsigned { park, yield, spin, tbb41 };
inline constexpr char const* idle_policy_names[] = {"park", "yield", "spin", "tbb41"};

enum class idle_action { pause, yield, park };

// The number of looks before something is given up. In a model time stands still, so it is one there.
constexpr unsigned looks_at_most(unsigned most) noexcept {
#ifdef ASHLAR_MODEL
  return most < 1 ? most : 1;
#else
  return most;
#endif
}

class idle_state {
 public:
  // About as long as a round takes, in nanoseconds.
  static constexpr unsigned round_ns = 250;
  // Rounds of pauses that amount to about one wake-up.
  static constexpr unsigned spin_rounds = looks_at_most(static_cast<unsigned>(1000 * os::wake_up_us) / round_ns);
  // With more threads than processors a spinning thief holds back the thread that has work, so it yields at once. To
  // sleep sooner does not pay: 8 threads on 2 processors lose 37 % after 4 rounds, 9 to 14 % after 16 or 32, 8 to 11 %
  // from 64 on (11 queens, 0.9 ms).
  static constexpr unsigned crowded_rounds = looks_at_most(64);
  static constexpr unsigned tbb41_rounds = looks_at_most(100);

  // What to do after one more empty round.
  idle_action next(idle_policy policy, bool crowded) noexcept {
    ++rounds_;
    switch (policy) {
      case idle_policy::spin:
        return crowded ? idle_action::yield : idle_action::pause;
      case idle_policy::yield:
        return rounds_ > spin_rounds ? idle_action::park : idle_action::yield;
      case idle_policy::tbb41:
        return rounds_ > tbb41_rounds ? idle_action::park : idle_action::pause;
      case idle_policy::park:
        break;
    }
    if (crowded) return rounds_ > crowded_rounds ? idle_action::park : idle_action::yield;
    return rounds_ > spin_rounds ? idle_action::park : idle_action::pause;
  }
  // The time of so many rounds has passed.
  void skip(unsigned rounds) noexcept { rounds_ += rounds; }
  void reset() noexcept { rounds_ = 0; }
  // The thread has looked around for as long as the shortest policy stays awake.
  bool for_long() const noexcept { return rounds_ >= crowded_rounds; }
  // True now and then in a row of empty rounds.
  bool for_a_while() const noexcept { return rounds_ % 4 == 3; }

 private:
  unsigned rounds_ = 0;
};

// The pauses of a thread: how long the last one was between the work that ended and the work that came. A thread whose
// last pause was short expects the next one to be short as well and stays awake for so long: a wake-up costs more than
// the pause is worth. After a long pause it sleeps as soon as the idle policy says so.
//
// A worker that is called again as soon as it sleeps, and finds nothing, was called for a job that its owner took back.
// More of them follow, and each call costs the owner more than such a job: this counts as a short pause, too. It does
// so for the last worker that leaves an arena: beside others it would only compete.
class pause_memory {
 public:
  // The thread has found nothing. `now` in ticks.
  void begin(std::uint64_t now) noexcept {
    if (since_ == 0) since_ = now;
  }
  // The thread has work again, or what it waited for.
  void end(std::uint64_t now, std::uint64_t short_pause) noexcept {
    if (since_ == 0) return;
    last_was_short_ = now - since_ < short_pause;
    since_ = 0;
  }
  // The thread, a worker, has slept. `alone`: no other worker was in the arena that it had left. A sleep that is
  // shorter than `brief` cost more than it saved. In a model, where time stands still, no sleep is brief.
  void end_sleep(bool alone, std::uint64_t slept, std::uint64_t brief) noexcept {
    if (!alone || slept == 0 || slept >= brief) return;
    last_was_short_ = true;
    since_ = 0;
  }
  // Whether the pause that goes on is shorter so far.
  bool within(std::uint64_t now, std::uint64_t length) const noexcept { return now - since_ < length; }
  // Whether a thread that would sleep now stays awake, because the pause that goes on is most likely over soon.
  bool keeps_awake(idle_policy policy, std::uint64_t now, std::uint64_t short_pause) const noexcept {
    return policy == idle_policy::park && last_was_short_ && within(now, short_pause);
  }

 private:
  std::uint64_t since_ = 0;  // 0: no pause
  bool last_was_short_ = false;
};

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
