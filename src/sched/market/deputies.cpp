// SPDX-License-Identifier: Apache-2.0
#include "sched/market/deputies.h"

#include "os/clock.h"
#include "sched/core/thread_data.h"
#include "sched/market/market.h"

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
  if (who == nullptr || who->is_worker || who->rests.load(mo::relaxed)) return presence::none;
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

bool deputies::has_application_at_work(arena& a) noexcept {
  return presence_of_application(a) == presence::at_work;
}

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

// ---- What the market does with them.

void market::begin_rest(thread_data& t) noexcept {
  std::lock_guard guard(lock_);
  t.rests.store(true, mo::relaxed);
  if (!t.is_worker) return;
  deputies_.begin_rest();
  if (dismiss_deputy(t)) recompute();
}

// Who goes on does so beyond the limit as long as deputies are at work: these leave between two jobs.
void market::end_rest(thread_data& t) noexcept {
  std::lock_guard guard(lock_);
  t.rests.store(false, mo::relaxed);
  if (t.is_worker) deputies_.end_rest();
  bool changed = false;
  allotment_.for_each([&](arena& a) {
    bool const here = t.is_worker || a.slot_of(t) != nullptr;
    if (here && a.deputies.load(mo::relaxed) != 0) {
      a.deputies.store(0, mo::relaxed);
      changed = true;
    }
  });
  if (changed) recompute();
}

bool market::dismiss_deputy(thread_data& t) noexcept {
  arena* const a = std::exchange(t.deputy_in, nullptr);
  if (a == nullptr || a->deputies.load(mo::relaxed) == 0) return false;
  a->deputies.store(0, mo::relaxed);
  return true;
}

bool market::recalls_deputy(arena& a) noexcept {
  std::lock_guard guard(lock_);
  thread_data& t = *current_thread;
  if (a.deputies.load(mo::relaxed) != 0 && !deputies::has_application_at_work(a)) return false;
  if (dismiss_deputy(t)) recompute();
  t.deputy_in = nullptr;
  return true;
}

bool market::send_deputy() noexcept {
  sleeper* chosen = nullptr;
  bool soon = false;
  {
    std::lock_guard guard(lock_);
    if (workers_.ending()) return false;
    if (deputies_.is_sent()) return true;
    // A worker that works will come, or will rest and look itself.
    if (!deputies_.all_rest(allotment_.active())) return false;
    arena* const a = deputies::stranded(members_, os::now_ns(), soon);
    if (a == nullptr) return soon;
    chosen = parking_lot::get().take_worker();
    if (chosen == nullptr && !workers_.may_create()) return true;
    deputies_.send(*a);
    if (chosen == nullptr) workers_.reserve();
  }
  if (chosen != nullptr) {
    chosen->unpark(false);
  } else if (!start_worker()) {
    std::lock_guard guard(lock_);
    deputies_.take();
  }
  return true;
}

// The arena to which the calling worker goes as a deputy, or null.
arena* market::assign_deputy() noexcept {
  arena* const a = deputies_.take();
  if (a == nullptr || !a->try_retain()) return nullptr;
  current_thread->deputy_in = a;
  a->deputies.store(1, mo::relaxed);
  allotment_.arrive(*a);
  recompute();
  return a;
}

}  // namespace ashlar::inline v1::sched
