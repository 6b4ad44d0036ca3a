// SPDX-License-Identifier: Apache-2.0
#include <ashlar/algo/call_once.h>
#include <ashlar/sync/backoff.h>

namespace ashlar::inline v1::algo {

bool once_state::begin() noexcept {
  std::uint64_t w = word_.load(mo::relaxed);
  // A thread that joined too late may be on its way out; it leaves the phase alone.
  while ((w & phase_mask) == idle) {
    if (word_.compare_exchange(w, w + closed, mo::acq_rel, mo::relaxed)) return true;  // [O6] [O5]
  }
  return false;
}

void once_state::open(sched::slot& s) noexcept {
  arena_ = &s.home();
  tag_ = s.isolation();
  word_.fetch_add(opened - closed, mo::release);  // [CO1] [O2]
}

void once_state::end(std::uint64_t next) noexcept {
  std::uint64_t w = word_.load(mo::relaxed);
  if ((w & phase_mask) == opened) word_.fetch_sub(opened - closed, mo::relaxed);
  for (sync::backoff wait; ((w = word_.load(mo::acquire)) & joining_mask) != 0;) wait.pause();  // [O4] [O3]
  std::uint64_t wanted;
  do {
    wanted = (((w & attempt_mask) + one_attempt) & attempt_mask) | (w & joining_mask) | next;
  } while (!word_.compare_exchange(w, wanted, mo::acq_rel, mo::relaxed));  // [O5] [O6]
  // The flag may be gone by now: only its address counts.
  if (w & sleeper) sched::wake_waiters(&word_);
}

void once_state::join() {
  std::uint64_t w = word_.load(mo::acquire);                                                       // [O6] [O5]
  for (sync::backoff wait; (w & phase_mask) == closed; w = word_.load(mo::acquire)) wait.pause();  // [O6] [O5]
  if ((w & phase_mask) != opened) return;
  struct joining {
    ~joining() { leave(); }
    void leave() noexcept {
      if (word == nullptr) return;
      word->fetch_sub(one_joining, mo::acq_rel);  // [O3] [O4]
      word = nullptr;
    }
    atomic<std::uint64_t>* word;
  } here{&word_};
  w = word_.fetch_add(one_joining, mo::acq_rel);  // [O2] [CO1]
  if ((w & phase_mask) != opened) return;
  std::uint32_t const tag = tag_;
  sched::arena_visit const visit(*arena_);
  here.leave();
  // If the arena is full the thread waits where it is; the tag keeps it from other work.
  sched::slot& s = sched::this_slot();
  sched::isolation_scope const scope(s, tag);
  wait_for(w & attempt_mask, s);
}

void once_state::wait_for(std::uint64_t attempt, sched::slot& s) noexcept {
  auto const over = [attempt](std::uint64_t w) { return (w & attempt_mask) != attempt; };
  auto const ended = [&] { return over(word_.load(mo::acquire)); };  // [O6] [O5]
  auto const announce = [&] {
    // Of this and the attempt's end, both of which exchange the word, one sees the other; what the call did is for
    // done.
    std::uint64_t w = word_.load(mo::relaxed);
    while (!over(w)) {
      if (word_.compare_exchange(w, w | sleeper, mo::relaxed, mo::relaxed)) return true;
    }
    return false;
  };
  s.wait(sched::wait_until(&word_, "work that another thread took", ended, announce));
}

}  // namespace ashlar::inline v1::algo
