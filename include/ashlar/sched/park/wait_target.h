// SPDX-License-Identifier: Apache-2.0
// What a thread of the scheduler waits for, and how it is woken.
#pragma once

#include <ashlar/base/atomic.h>

#include <cstdint>

namespace ashlar {
inline namespace v1 {
namespace sched {

struct own_jobs;

// What a thread waits for.
class wait_target {
 public:
  // For the waiting thread only.
  bool done() const noexcept { return done_(*this); }
  // Publishes that the waiter is about to sleep. False if there is nothing to wait for any more.
  bool announce() const noexcept { return announce_(*this); }

  // The key that the completing thread passes to wake_waiters(); null: no thread does, and the target comes and goes.
  void const* const address;
  char const* const what;                    // for the hang report
  atomic<std::uint32_t> const* const thief;  // index of the slot that runs what is waited for; null: unknown
  void const* const subject;                 // for the trace: the job that is waited for, or the address
  // The thread waits in an own_region, and takes these jobs as well; null: it may wait anywhere.
  own_jobs const* only = nullptr;

 protected:
  using question = bool (*)(wait_target const&) noexcept;
  wait_target(void const* a, char const* w, atomic<std::uint32_t> const* t, void const* s, question ask_done,
              question ask_announce) noexcept
      : address(a), what(w), thief(t), subject(s), done_(ask_done), announce_(ask_announce) {}

 private:
  question const done_;
  question const announce_;
};

// A target that asks two functions without arguments. Where the second is left out, nobody has to know of the sleeper.
struct no_announcement {
  bool operator()() const noexcept { return true; }
};
template <typename Done, typename Announce = no_announcement>
class wait_until : public wait_target {
 public:
  wait_until(void const* key, char const* name, Done over, Announce sleeps = {},
             atomic<std::uint32_t> const* runner = nullptr, void const* of = nullptr) noexcept
      : wait_target(key, name, runner, of != nullptr ? of : key, &ask_done, &ask_announce),
        done_(over),
        announce_(sleeps) {}

 private:
  static bool ask_done(wait_target const& t) noexcept { return static_cast<wait_until const&>(t).done_(); }
  static bool ask_announce(wait_target const& t) noexcept { return static_cast<wait_until const&>(t).announce_(); }

  Done const done_;
  Announce const announce_;
};

// The value of `thief` as long as nobody runs it.
inline constexpr std::uint32_t no_thief = ~0u;

// Wakes the threads that sleep in slot::wait for this address. The address is only a key: what lay there may be gone.
ASHLAR_EXPORT void wake_waiters(void const* address) noexcept;

}  // namespace sched
}  // namespace v1
}  // namespace ashlar
