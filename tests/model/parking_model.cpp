// SPDX-License-Identifier: Apache-2.0
// Parking: no job stays in a deque for good while everybody who could take it sleeps, and no completion is missed.
// The deque and the parking lot are the real ones; the market's and the slot's part of the protocol, which in the
// library hang on thread-local state, are repeated here statement by statement (dispatch.cpp, worker.cpp, market.cpp,
// arena.cpp), with a switch for each way to get them wrong.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include "sched/deque.cpp"
#include "sched/parking.cpp"

using namespace ashlar;
using sched::sleeper;

namespace {

enum class mistake {
  none,
  no_heavy_fence,
  look_before_arming,
  arm_once,            // a woken worker that finds nothing does not arm again
  look_before_entering,
  pop_disarms,
  touch_after_exchange,
  searcher_ends_last  // still counted as searching while it looks for the last time
};

constexpr std::uint32_t wake_bit = 1;

struct no_job : sched::job {};

// One arena with one slot that matters, its owner, and free workers.
struct scene {
  mistake wrong;
  int jobs_left = 0;  // pushed and not yet executed
  sched::deque queue;
  atomic<std::uint32_t> attention{wake_bit};
  atomic<int> searching{0};
  sched::parking_lot lot;
  std::mutex market;
  unsigned const limit;
  unsigned wanted = 0, allotted = 0, active = 0;  // under the market's lock
  no_job jobs[3];

  scene(mistake m, unsigned workers) : wrong(m), limit(workers) {
    model::label(queue, "deque");
    model::label(attention, "attention");
    model::label(searching, "searching");
    model::label(lot, "lot");
    model::label(market, "market");
    queue.make_room(0);
    model::may_rest([this] { return jobs_left == 0; });
  }
  sched::arena& here() { return *reinterpret_cast<sched::arena*>(this); }

  // market.cpp
  void advertise() {
    sleeper* chosen;
    {
      std::lock_guard guard(market);
      wanted = allotted = limit;
      chosen = lot.take_for(here(), active < allotted);
    }
    if (chosen != nullptr) chosen->unpark();
  }
  void pass_on() {
    if (lot.count() != 0) advertise();
  }
  bool assign() {
    std::lock_guard guard(market);
    if (active >= allotted) return false;
    ++active;
    return true;
  }
  void leave() {
    std::lock_guard guard(market);
    --active;
    if (wanted > active) wanted = allotted = active;
  }
  void arm_all() {
    std::lock_guard guard(market);
    if ((attention.load(mo::relaxed) & wake_bit) == 0) attention.fetch_or(wake_bit, mo::seq_cst);
  }
  bool work_for_a_worker() {
    std::lock_guard guard(market);
    if (queue.looks_empty()) return false;
    wanted = allotted = limit;
    return active < allotted;
  }

  // slot.h, dispatch.cpp
  void spawn(int i) {
    ++jobs_left;
    queue.push(&jobs[i], 0);
    fence_light();
    if (attention.load(mo::relaxed) != 0) attend();
  }
  void attend() {
    std::uint32_t const bits = attention.load(mo::relaxed);
    if ((bits & wake_bit) && searching.load(mo::relaxed) == 0) {
      attention.fetch_and(~wake_bit, mo::relaxed);
      advertise();
    }
  }
  bool pop() {
    if (queue.pop() == nullptr) return false;
    if (wrong == mistake::pop_disarms) attention.fetch_and(~wake_bit, mo::relaxed);
    --jobs_left;
    return true;
  }
  bool steal() {
    for (;;) {
      sched::job* what;
      sched::job_key key;
      switch (queue.steal(what, key, [](auto...) { return true; })) {
        case sched::deque::outcome::taken:
          --jobs_left;
          return true;
        case sched::deque::outcome::lost:
          break;
        default:
          return false;
      }
    }
  }
  void work_in() {
    bool searched = false;
    for (;;) {
      if (!searched) searching.fetch_add(1, mo::relaxed);
      searched = true;
      if (queue.looks_empty() || !steal()) break;
      searching.fetch_sub(1, mo::relaxed);
      searched = false;
      pass_on();
    }
    if (wrong != mistake::searcher_ends_last) searching.fetch_sub(1, mo::relaxed);
    leave();
  }

  // worker.cpp
  void park_worker(sleeper& bed, bool first) {
    if (wrong == mistake::look_before_entering && work_for_a_worker()) return;
    if (wrong == mistake::look_before_arming) {
      lot.enter_worker(bed);
      bool const work = work_for_a_worker();
      arm_all();
      os::heavy_fence();
      if (work) {
        lot.leave(bed);
        return;
      }
    } else {
      lot.enter_worker(bed);
      if (wrong != mistake::arm_once || first) arm_all();
      if (wrong != mistake::no_heavy_fence) os::heavy_fence();
      if (wrong != mistake::look_before_entering && work_for_a_worker()) {
        lot.leave(bed);
        return;
      }
    }
    if (wrong == mistake::searcher_ends_last) searching.fetch_sub(1, mo::relaxed);
    bed.sleep();
    if (wrong == mistake::searcher_ends_last) searching.fetch_add(1, mo::relaxed);
  }
  void worker() {
    sleeper bed;
    model::label(bed, "bed");
    for (bool first = true;; first = false) {
      if (assign()) {
        work_in();
      } else {
        park_worker(bed, first);
      }
    }
  }
};

using script = void (*)(scene&);

void push(scene& s) { s.spawn(0); }
void push_twice(scene& s) {
  s.spawn(0);
  s.spawn(1);
}
void push_pop_push(scene& s) {
  s.spawn(0);
  s.pop();
  s.spawn(1);
}

// The owner leaves after its script. `working`: the workers begin in the arena, else on their way to bed.
model::result park(mistake wrong, int count, script owner, bool working, model::options how = {}) {
  return model::check(how, [=] {
    scene s(wrong, static_cast<unsigned>(count));
    if (working) s.wanted = s.allotted = s.limit;
    model::thread first("worker 1", [&s] { s.worker(); });
    if (count == 2) model::thread second("worker 2", [&s] { s.worker(); });
    owner(s);
    first.join();
  });
}

model::options bounded(int preemptions, bool trim) {
  model::options how;
  how.preemptions = preemptions;
  how.trim = trim;
  return how;
}

void hold(model::result const& r) {
  INFO(r.report);
  CHECK(!r.failed);
  CHECK(r.complete);
  CHECK(r.executions > 100);
}

// Somebody waits for a fork that was stolen: fork_join.h, dispatch.cpp (park_waiter).
struct fork_wait {
  mistake wrong;
  sched::parking_lot lot;
  enum : std::uint32_t { pending, finished, owner_sleeps };

  void finish(atomic<std::uint32_t>& state) {
    bool const sleeps = state.exchange(finished, mo::acq_rel) == owner_sleeps;
    if (wrong == mistake::touch_after_exchange) state.store(finished, mo::relaxed);
    if (sleeps) lot.wake_address(&state);
  }
  void wait(sleeper& bed, atomic<std::uint32_t>& state) {
    bool const late = wrong == mistake::look_before_entering;
    while (state.load(mo::acquire) != finished) {
      if (!late) lot.enter_waiter(bed, here(), &state, true);
      std::uint32_t expected = pending;
      bool const announced =
          state.compare_exchange(expected, owner_sleeps, mo::acq_rel, mo::acquire) || expected == owner_sleeps;
      if (announced) os::heavy_fence();
      if (!announced || state.load(mo::acquire) == finished) {
        if (!late) lot.leave(bed);
        continue;
      }
      if (late) lot.enter_waiter(bed, here(), &state, true);
      bed.sleep();
    }
  }
  sched::arena& here() { return *reinterpret_cast<sched::arena*>(this); }
};

// Two forks, one after the other, with the frame of the first reused for the second.
model::result wait_for_forks(mistake wrong) {
  return model::check({}, [=] {
    fork_wait s{wrong, {}};
    sleeper bed;
    atomic<atomic<std::uint32_t>*> stolen[2];
    model::var<int> results[2];
    model::thread thief("thief", [&] {
      for (int i = 0; i < 2; ++i) {
        atomic<std::uint32_t>* state;
        while ((state = stolen[i].load(mo::acquire)) == nullptr) cpu_pause();
        results[i].set(1);
        s.finish(*state);
      }
    });
    for (int i = 0; i < 2; ++i) {
      atomic<std::uint32_t> state{fork_wait::pending};
      stolen[i].store(&state, mo::release);
      s.wait(bed, state);
      model::require(results[i].get() == 1, "the fork is over");
    }
    thief.join();
  });
}

}  // namespace

TEST_CASE("no job is left to sleepers") {
  for (bool const working : {false, true}) {
    hold(park(mistake::none, 1, push, working));
    hold(park(mistake::none, 1, push_twice, working, bounded(3, true)));
    hold(park(mistake::none, 1, push_pop_push, working, bounded(3, true)));
    hold(park(mistake::none, 2, push, working, bounded(2, false)));
    hold(park(mistake::none, 2, push_twice, working, bounded(1, false)));
  }
}

TEST_CASE("each step of parking is needed") {
  struct {
    mistake wrong;
    script owner;
    bool working;
  } const cases[] = {{mistake::no_heavy_fence, push_pop_push, false}, {mistake::look_before_arming, push_pop_push, false},
                     {mistake::arm_once, push_twice, false},          {mistake::look_before_entering, push, false},
                     {mistake::pop_disarms, push_pop_push, false},    {mistake::searcher_ends_last, push, true}};
  for (auto const& c : cases) {
    CAPTURE(static_cast<int>(c.wrong));
    model::result const r = park(c.wrong, 1, c.owner, c.working, bounded(3, true));
    CHECK(r.kind == "deadlock");
  }
}

TEST_CASE("random search, with futex waits that return for no reason") {
  for (model::search how : {model::search::random, model::search::pct}) {
    model::options o;
    o.how = how;
    o.executions = 10'000;
    o.spurious = 1;
    model::result const r = park(mistake::none, 2, push_pop_push, true, o);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.executions == o.executions);
  }
}

TEST_CASE("no completion is missed, and no frame is touched after its end") {
  hold(wait_for_forks(mistake::none));
  CHECK(wait_for_forks(mistake::look_before_entering).kind == "deadlock");
  std::string const late = wait_for_forks(mistake::touch_after_exchange).kind;
  CHECK((late == "use after free" || late == "data race"));
}
