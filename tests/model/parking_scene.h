// SPDX-License-Identifier: Apache-2.0
// The scene of parking_model.cpp: one arena with its owner, workers and waiters. The deque and the parking lot are the real
// ones; what the library hangs on thread-local state is repeated statement by statement (dispatch.cpp, worker.cpp,
// market.cpp, arena.cpp), with a switch for each way to get it wrong.
#pragma once

#include <engine/model.h>
#include <engine/os.h>

#include <parking_lot.h>
#include "sched/queue/deque.cpp"

#include <ashlar/sched/park/latch.h>

namespace ashlar::model::parking {

inline sched::parking_lot* the_lot = nullptr;  // of the execution

}  // namespace ashlar::model::parking

inline void ashlar::sched::wake_waiters(void const* address) noexcept { model::parking::the_lot->wake_address(address); }

namespace ashlar::model::parking {

using sched::sleeper;

enum class mistake {
  none,
  no_heavy_fence,
  look_before_arming,
  nobody_arms,    // the last worker that stops sleeps at once
  late_entering,  // a worker enters the parking lot after the market's lock is free
  early_stop,     // it stops searching before it is in the parking lot
  pop_disarms,
  no_push_fence,  // H1
  no_clear_fence,  // H1: between the bit's clearing and the second look at the searchers
  no_search_fence,  // H2
  searcher_just_leaves,
  called_waiter_just_leaves,
  early_waiter_just_leaves,  // one that leaves the parking lot without having slept
  trusted_waiter,            // a pusher clears its bit for a waiter's sake, who doesn't arm when it stops
  sleepy_waiter,             // a waiter goes to sleep without arming although no worker searches
  uninformed,                // a worker goes to another arena without arming this one
  small_unarmed,             // a worker turns to a small job without arming for those who push meanwhile
  small_lightly,             // the same, but with a light fence after arming
  small_unlooked,            // the same, but without another look
  no_owners_fence,           // without a heavy fence: the pusher relies on it all the same
  touch_after_exchange
};

constexpr std::uint32_t wake_bit = 1;
struct no_job : sched::job {};

// One arena with one slot that matters, its owner, free workers, and threads that wait in the arena.
struct scene {
  mistake wrong;
  int jobs_left = 0;  // pushed and not yet executed
  int waiting = 0;    // threads in wait()
  bool ends_with_jobs = false;  // they may wait for ever once all jobs are done
  sched::deque queue;
  atomic<std::uint32_t> attention{wake_bit};
  atomic<std::uint32_t> searching{0};
  model::parking_lot lot;
  std::mutex market;
  unsigned const limit;
  unsigned wanted = 0, allotted = 0, active = 0;  // under the market's lock
  atomic<bool> advertised{false};
  atomic<int> recalled{0};  // the market has asked for workers: those in another arena notice
  no_job jobs[3];
  bool first_is_small = false;  // job 0 is a small loop's, and its thief is busy until job 1 is done
  atomic<int> second_is_done{0};

  scene(mistake m, int workers) : wrong(m), limit(static_cast<unsigned>(workers)) {
    model::label(queue, "deque");
    model::label(attention, "attention");
    model::label(searching, "searching");
    model::label(lot, "lot");
    model::label(market, "market");
    model::label(advertised, "advertised");
    model::label(recalled, "recalled");
    queue.make_room(0);
    model::may_rest([this] { return jobs_left == 0 && (waiting == 0 || ends_with_jobs); });
  }
  sched::arena& here() { return *reinterpret_cast<sched::arena*>(this); }
  bool unless(mistake m) const { return wrong != m; }

  // --- arena.h
  static constexpr std::uint32_t worker_searches = 1, waiter_searches = 1u << 16;
  static std::uint32_t workers_of(std::uint32_t all) { return all & 0xffffu; }
  std::uint32_t stop(std::uint32_t one) { return searching.fetch_sub(one, mo::acq_rel) - one; }
  bool raise() {
    fence_seq_cst();
    if ((attention.load(mo::relaxed) & wake_bit) != 0) return false;
    attention.fetch_or(wake_bit, mo::seq_cst);
    return true;
  }
  bool arm() {
    if (!unless(mistake::nobody_arms)) return false;
    bool const early = !unless(mistake::look_before_arming) && !queue.looks_empty();
    if (raise() && unless(mistake::no_heavy_fence)) os::heavy_fence();
    return unless(mistake::look_before_arming) ? !queue.looks_empty() : early;
  }
  bool answer_push() {
    if (unless(mistake::no_push_fence)) fence_seq_cst();
    std::uint32_t const now = searching.load(mo::relaxed);
    if (now != 0 && workers_of(now) == 0 && unless(mistake::trusted_waiter)) return false;
    attention.fetch_and(~wake_bit, mo::relaxed);
    if (unless(mistake::no_clear_fence)) fence_seq_cst();
    std::uint32_t const then = searching.load(mo::relaxed);
    return unless(mistake::trusted_waiter) ? workers_of(then) == 0 : then == 0;
  }

  // --- market.cpp
  void call_somebody(bool restricted_too) {
    sleeper* chosen;
    {
      std::lock_guard guard(market);
      ask();
      chosen = lot.take_for(here(), active < allotted, restricted_too);
    }
    if (chosen != nullptr) chosen->unpark();
  }
  void ask() {
    wanted = allotted = limit;
    advertised.store(true, mo::relaxed);
    recalled.store(1, mo::relaxed);
  }
  void pass_on() {
    if (lot.count() != 0 || !advertised.load(mo::relaxed)) call_somebody(false);
  }
  bool assign(sleeper& bed) {
    {
      std::lock_guard guard(market);
      if (active < allotted) {
        ++active;
        return true;
      }
      recalled.store(0, mo::relaxed);
      if (unless(mistake::late_entering) && unless(mistake::early_stop)) lot.enter_worker(bed);
    }
    return false;
  }
  void leave() {
    std::lock_guard guard(market);
    --active;
    if (wanted <= active) return;
    wanted = allotted = active;
    advertised.store(false, mo::relaxed);
  }
  void ask_for_workers() {
    std::lock_guard guard(market);
    ask();
  }

  // --- slot.h, dispatch.cpp: the owner
  void spawn(int i) {
    ++jobs_left;
    queue.push(&jobs[i], 0);
    fence_light();
    if (heavy_fence_missing || attention.load(mo::relaxed) != 0) attend();
  }
  void attend() {
    if (heavy_fence_missing && unless(mistake::no_owners_fence)) fence_seq_cst();  // attention_fence is always up
    if ((attention.load(mo::relaxed) & wake_bit) != 0 && answer_push()) call_somebody(true);
  }
  void pop() {
    if (queue.pop() == nullptr) return;
    if (!unless(mistake::pop_disarms)) attention.fetch_and(~wake_bit, mo::relaxed);
    --jobs_left;
  }
  void finish(sched::latch& end) {
    the_lot = &lot;
    sched::latch::set(end);
    if (!unless(mistake::touch_after_exchange)) static_cast<void>(end.done());
  }

  // --- dispatch.cpp: those who search
  sched::job* search() {
    while (!queue.looks_empty()) {
      sched::job* what;
      sched::job_key key;
      auto const got = queue.steal(what, key, [](auto...) { return true; });
      if (got == sched::deque::outcome::lost) continue;
      if (got != sched::deque::outcome::taken) break;
      --jobs_left;
      return what;
    }
    return nullptr;
  }
  // turn_to_job
  void turn_to_small_job() {
    fence_seq_cst();
    if (lot.count() == 0) return;
    if (unless(mistake::small_unarmed) && raise()) unless(mistake::small_lightly) ? os::heavy_fence() : fence_light();
    if (unless(mistake::small_unlooked) && !queue.looks_empty()) pass_on();
  }
  void run(sched::job* what) {
    if (!first_is_small) return;
    if (what == &jobs[1]) second_is_done.store(1, mo::relaxed);
    while (what == &jobs[0] && second_is_done.load(mo::relaxed) == 0) cpu_pause();
  }
  bool work_is_visible() {
    if (unless(mistake::no_search_fence)) fence_seq_cst();
    return !queue.looks_empty();
  }
  // search_episode
  struct episode {
    scene& s;
    std::uint32_t const one;
    bool counted = false;

    void begin() {
      if (!std::exchange(counted, true)) s.searching.fetch_add(one, mo::relaxed);
    }
    bool end() {
      if (!std::exchange(counted, false)) return false;
      std::uint32_t const others = s.stop(one);
      return one == worker_searches ? workers_of(others) == 0 : others == 0;
    }
    bool end_to_sleep() { return !std::exchange(counted, false) || workers_of(s.stop(one)) == 0; }
  };
  void turn_to_job(episode& e, sched::job* what, bool called) {
    bool const owed = (e.end() && unless(mistake::searcher_just_leaves)) || called;
    if (!owed) return;
    first_is_small&& what == &jobs[0] ? turn_to_small_job() : pass_on();
  }
  // serve: the worker is still counted as searching afterwards.
  void work_in() {
    episode e{*this, worker_searches};
    e.begin();
    do {
      while (sched::job* const what = search()) {
        turn_to_job(e, what, false);
        run(what);
        e.begin();
      }
    } while (!queue.looks_empty());
    leave();
  }
  // Looks for work, a second time before it sleeps, until the state is finished.
  void wait(sleeper& bed, sched::latch& state, bool restricted) {
    bool called = false;
    episode e{*this, waiter_searches};
    ++waiting;
    for (int round = 0; !state.done(); ++round) {
      if (!restricted) {
        e.begin();
        if (sched::job* const what = search()) {
          turn_to_job(e, what, called);
          called = false;
          continue;
        }
      } else if (std::exchange(called, false) && work_is_visible()) {
        pass_on();
      }
      if (round == 0) continue;
      bool const slept = park_waiter(bed, state, restricted, e);
      called = slept ? bed.called_for_work() : unless(mistake::early_waiter_just_leaves);
    }
    --waiting;
    if (called) called = unless(mistake::called_waiter_just_leaves);
    bool const searched = e.end() && unless(mistake::searcher_just_leaves);
    if ((searched || called) && work_is_visible()) pass_on();
  }
  bool park_waiter(sleeper& bed, sched::latch& state, bool restricted, episode& e) {
    bool const late = !unless(mistake::late_entering);
    if (!late) lot.enter_waiter(bed, here(), &state, restricted);
    bool const announced = state.announce();
    bool work = false;
    if (announced && restricted) {
      if (arm()) pass_on();
    } else if (announced && e.end_to_sleep() && unless(mistake::sleepy_waiter)) {
      work = arm();
    }
    if (!announced || work || state.done()) {
      if (!late) lot.leave(bed);
      return false;
    }
    if (late) lot.enter_waiter(bed, here(), &state, restricted);
    bed.sleep();
    return true;
  }

  // --- worker.cpp
  bool stop_searching() { return workers_of(stop(worker_searches)) == 0 && arm(); }
  void worker() {
    sleeper bed;
    model::label(bed, "bed");
    bool left = false;  // it comes from the arena
    for (;;) {
      if (assign(bed)) {
        // From the arena it goes to the arena.
        if (std::exchange(left, false) && stop_searching()) call_somebody(true);
        work_in();
        left = true;
        continue;
      }
      bool const early = !unless(mistake::early_stop);
      bool work = early && std::exchange(left, false) && stop_searching();
      if (early || !unless(mistake::late_entering)) lot.enter_worker(bed);
      if (!early) work = std::exchange(left, false) && stop_searching();
      if (work) {
        lot.leave(bed);
        ask_for_workers();
        continue;
      }
      bed.sleep();
    }
  }

  // A worker that finds its next place in another arena, which never runs dry, each time it leaves this one.
  void worker_of_two_arenas() {
    sleeper bed;
    model::label(bed, "bed");
    for (;;) {
      while (assign(bed)) {
        work_in();
        bool const last = workers_of(stop(worker_searches)) == 0;
        if (last && unless(mistake::uninformed) && arm()) call_somebody(true);
      }
      lot.leave(bed);
      while (recalled.load(mo::relaxed) == 0) cpu_pause();
    }
  }
};

}  // namespace ashlar::model::parking
