// SPDX-License-Identifier: Apache-2.0
#include "sched/market/deputies.h"

#include "sched/core/thread_data.h"

#include <utility>

namespace ashlar::inline v1::sched {

namespace {

// How long an application thread that is not at work must not have been so: it may be between two loops.
constexpr std::uint64_t still_for = 20'000'000;  // nanoseconds

// Another thread's state, only to be compared: a guess, and a race that ThreadSanitizer need not tell of.
template <typename T>
__attribute__((no_sanitize("thread"), noinline)) T peek(T const& at) noexcept {
  return *const_cast<T const volatile*>(&at);
}

enum class presence { none, idle, at_work };

presence presence_in(slot& s) noexcept {
  thread_data const* const who = s.occupant();
  // Whoever sits in a slot takes the market's lock once more after it has left, before it ends.
  if (who == nullptr || who->is_worker || who->repose.begun.load(mo::relaxed)) return presence::none;
  bool const at_work = s.seems_at_work([](auto const& at) noexcept { return peek(at); });
  return at_work ? presence::at_work : presence::idle;
}

presence presence_of_application(arena& a) noexcept {
  presence most = presence::none;
  for (unsigned i = 0; i < a.slots_in_use(); ++i) {
    presence const here = presence_in(a.at(i));
    if (here > most) most = here;
  }
  return most;
}

// Changes with each job that is pushed or taken.
std::int64_t moves_in(arena& a) noexcept {
  std::int64_t sum = 0;
  for (unsigned i = 0; i < a.slots_in_use(); ++i) sum += a.at(i).jobs_guess() + 2 * a.at(i).oldest_guess();
  return sum;
}

}  // namespace

bool deputies::has_application_at_work(arena& a) noexcept { return presence_of_application(a) == presence::at_work; }

arena* deputies::stranded(membership const& arenas, std::uint64_t now, bool& soon) noexcept {
  arena* found = nullptr;
  arenas.for_each([&](arena& a) {
    arena_state& state = a.market_state;
    presence const application = a.has_visible_work() ? presence_of_application(a) : presence::at_work;
    if (application == presence::at_work) {
      state.still_since = 0;
      return;
    }
    if (found != nullptr || !a.has_free_slot_for_worker()) return;
    std::int64_t const moves = moves_in(a);
    if (state.still_since == 0 || std::exchange(state.moves, moves) != moves) state.still_since = now;
    if (application == presence::none || now - state.still_since >= still_for) {
      found = &a;
    } else {
      soon = true;
    }
  });
  return found;
}

arena* deputies::take() noexcept { return std::exchange(next_, nullptr); }

void deputies::forget(arena const& a) noexcept {
  if (next_ == &a) next_ = nullptr;
}

void deputies::forget_threads() noexcept {
  resting_ = 0;
  next_ = nullptr;
}

}  // namespace ashlar::inline v1::sched
