// SPDX-License-Identifier: Apache-2.0
// Parking: no job stays in a deque for good while somebody who could take it sleeps, and no completion is missed.
// The deque and the parking lot are the real ones; the slot's and the market's part of the protocol, which in the
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
  arm_once,  // a woken worker that finds nothing does not arm again
  look_before_entering,
  pop_disarms,
  no_push_fence,    // H1
  no_search_fence,  // H2
  searcher_just_leaves,
  rest_forgets,  // a searcher that gave its processor away answers no more for what was left to it
  called_waiter_just_leaves,
  early_waiter_just_leaves,  // one that leaves the parking lot without having slept
  uninformed,                // a worker goes to another arena without arming this one
  small_unarmed,             // a worker turns to a small job without arming for those who push meanwhile
  small_lightly,             // the same, but with a light fence after arming
  small_unlooked,            // the same, but without another look
  arm_on_old_news,           // H3: a sleeper sees a bit that a worker has lowered meanwhile
  touch_after_exchange
};

constexpr std::uint32_t wake_bit = 1;
enum : std::uint32_t { pending, finished, owner_sleeps };  // states of what somebody waits for

struct no_job : sched::job {};

// One arena with one slot that matters, its owner, free workers, and threads that wait in the arena.
struct scene {
  mistake wrong;
  bool yields;        // a searcher gives its processor away after each look
  int jobs_left = 0;  // pushed and not yet executed
  int waiting = 0;    // threads in wait()
  sched::deque queue;
  atomic<std::uint32_t> attention{wake_bit};
  atomic<int> searching{0};
  sched::parking_lot lot;
  std::mutex market;
  unsigned const limit;
  unsigned wanted = 0, allotted = 0, active = 0;  // under the market's lock
  atomic<int> recalled{0};  // the market has asked for workers: those in another arena notice
  no_job jobs[3];
  bool first_is_small = false;  // job 0 is a small loop's, and its thief is busy until job 1 is done
  atomic<int> second_is_done{0};

  scene(mistake m, int workers, bool yielding = false) : wrong(m), yields(yielding), limit(static_cast<unsigned>(workers)) {
    model::label(queue, "deque");
    model::label(attention, "attention");
    model::label(searching, "searching");
    model::label(lot, "lot");
    model::label(market, "market");
    model::label(recalled, "recalled");
    queue.make_room(0);
    model::may_rest([this] { return jobs_left == 0 && waiting == 0; });
  }
  sched::arena& here() { return *reinterpret_cast<sched::arena*>(this); }
  bool unless(mistake m) const { return wrong != m; }

  // --- market.cpp
  void call_somebody(bool restricted_too) {
    sleeper* chosen;
    {
      std::lock_guard guard(market);
      wanted = allotted = limit;
      recalled.store(1, mo::relaxed);
      chosen = lot.take_for(here(), active < allotted, restricted_too);
    }
    if (chosen != nullptr) chosen->unpark();
  }
  void pass_on() {
    if (lot.count() != 0) call_somebody(false);
  }
  bool assign() {
    std::lock_guard guard(market);
    if (active >= allotted) {
      recalled.store(0, mo::relaxed);
      return false;
    }
    ++active;
    return true;
  }
  void leave() {
    std::lock_guard guard(market);
    --active;
    if (wanted > active) wanted = allotted = active;
  }
  bool arm() {
    if (unless(mistake::arm_on_old_news)) fence_seq_cst();
    if ((attention.load(mo::relaxed) & wake_bit) != 0) return false;
    attention.fetch_or(wake_bit, mo::seq_cst);
    return true;
  }
  void arm_all() {
    std::lock_guard guard(market);
    arm();
  }
  bool work_for_a_worker() {
    std::lock_guard guard(market);
    if (queue.looks_empty()) return false;
    wanted = allotted = limit;
    return active < allotted;
  }

  // --- slot.h, dispatch.cpp: the owner
  void spawn(int i) {
    ++jobs_left;
    queue.push(&jobs[i], 0);
    fence_light();
    if (attention.load(mo::relaxed) != 0) attend();
  }
  void attend() {
    if ((attention.load(mo::relaxed) & wake_bit) == 0) return;
    if (unless(mistake::no_push_fence)) fence_seq_cst();
    if (searching.load(mo::relaxed) != 0) return;
    attention.fetch_and(~wake_bit, mo::relaxed);
    call_somebody(true);
  }
  void pop() {
    if (queue.pop() == nullptr) return;
    if (!unless(mistake::pop_disarms)) attention.fetch_and(~wake_bit, mo::relaxed);
    --jobs_left;
  }
  void finish(atomic<std::uint32_t>& state) {
    bool const sleeps = state.exchange(finished, mo::acq_rel) == owner_sleeps;
    if (!unless(mistake::touch_after_exchange)) state.store(finished, mo::relaxed);
    if (sleeps) lot.wake_address(&state);
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
    if (unless(mistake::small_unarmed) && arm()) unless(mistake::small_lightly) ? os::heavy_fence() : fence_light();
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
    bool counted = false, answerable = false;

    void begin() {
      if (!counted) s.searching.fetch_add(1, mo::relaxed);
      counted = answerable = true;
    }
    void rest() {
      if (counted) s.searching.fetch_sub(1, mo::relaxed);
      counted = false;
      if (!s.unless(mistake::rest_forgets)) answerable = false;
    }
    bool end() {
      if (counted) s.searching.fetch_sub(1, mo::relaxed);
      counted = false;
      return std::exchange(answerable, false);
    }
  };
  void work_in() {
    episode e{*this};
    e.begin();
    attention.fetch_and(~wake_bit, mo::relaxed);  // answer_for_all
    do {
      e.begin();
      while (sched::job* const what = search()) {
        e.end();
        first_is_small&& what == &jobs[0] ? turn_to_small_job() : pass_on();
        run(what);
        e.begin();
      }
      if (yields) e.rest();
      e.end();
    } while (unless(mistake::searcher_just_leaves) && work_is_visible());
    leave();
  }
  // Looks for work, a second time before it sleeps, until the state is finished.
  void wait(sleeper& bed, atomic<std::uint32_t>& state, bool restricted) {
    bool called = false;
    episode e{*this};
    ++waiting;
    for (int round = 0; state.load(mo::acquire) != finished; ++round) {
      e.begin();
      if (!restricted && search()) {
        e.end();
        called = false;
        pass_on();
        continue;
      }
      if (round == 0) {
        if (yields) e.rest();
        continue;
      }
      e.end();
      bool const slept = park_waiter(bed, state, restricted);
      called = slept ? bed.called_for_work() : unless(mistake::early_waiter_just_leaves);
    }
    --waiting;
    if (called) called = unless(mistake::called_waiter_just_leaves);
    bool const searched = e.end() && unless(mistake::searcher_just_leaves);
    if ((searched || called) && work_is_visible()) pass_on();
  }
  bool park_waiter(sleeper& bed, atomic<std::uint32_t>& state, bool restricted) {
    bool const late = !unless(mistake::look_before_entering);
    if (!late) lot.enter_waiter(bed, here(), &state, restricted);
    std::uint32_t expected = pending;
    bool const announced =
        state.compare_exchange(expected, owner_sleeps, mo::acq_rel, mo::acquire) || expected == owner_sleeps;
    if (announced) {
      arm();
      os::heavy_fence();
    }
    if (!announced || state.load(mo::acquire) == finished || (!restricted && !queue.looks_empty())) {
      if (!late) lot.leave(bed);
      return false;
    }
    if (late) lot.enter_waiter(bed, here(), &state, restricted);
    bed.sleep();
    return true;
  }

  // --- worker.cpp
  void park_worker(sleeper& bed, bool first) {
    bool const early = !unless(mistake::look_before_arming), late = !unless(mistake::look_before_entering);
    if (!late) lot.enter_worker(bed);
    bool work = early && work_for_a_worker();
    if (unless(mistake::arm_once) || first) arm_all();
    if (unless(mistake::no_heavy_fence)) os::heavy_fence();
    if (!early) work = work_for_a_worker();
    if (work) {
      if (!late) lot.leave(bed);
      return;
    }
    if (late) lot.enter_worker(bed);
    bed.sleep();
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

  // A worker that finds its next place in another arena, which never runs dry, each time it leaves this one.
  void stay_informed() {
    arm();
    os::heavy_fence();
    if (!queue.looks_empty()) call_somebody(true);
  }
  void worker_of_two_arenas() {
    for (;;) {
      while (assign()) work_in();
      if (unless(mistake::uninformed)) stay_informed();
      while (recalled.load(mo::relaxed) == 0) cpu_pause();
    }
  }
};

using script = void (*)(scene&);

void push(scene& s) { s.spawn(0); }
void push_twice(scene& s) {
  s.spawn(0);
  s.spawn(1);
}
void push_thrice(scene& s) {
  push_twice(s);
  s.spawn(2);
}
void push_pop_push(scene& s) {
  s.spawn(0);
  s.pop();
  s.spawn(1);
}

// The owner leaves after its script. `working`: the workers begin in the arena, else on their way to bed.
model::result park(mistake wrong, int count, script owner, bool working, model::options how = {}) {
  return model::check(how, [=] {
    scene s(wrong, count);
    if (working) s.wanted = s.allotted = s.limit;
    model::thread first("worker 1", [&s] { s.worker(); });
    if (count == 2) model::thread second("worker 2", [&s] { s.worker(); });
    owner(s);
    first.join();
  });
}

// A thread waits in the arena for what the owner completes, before or after its push; and there is a free worker.
model::result park_waiter(mistake wrong, bool restricted, bool push_first, model::options how, bool yields = false) {
  return model::check(how, [=] {
    scene s(wrong, 1, yields);
    atomic<std::uint32_t> state{pending};
    model::label(state, "state");
    model::thread worker("worker", [&s] { s.worker(); });
    model::thread waiter("waiter", [&s, &state, restricted] {
      sleeper bed;
      s.wait(bed, state, restricted);
    });
    if (push_first) push(s);
    s.finish(state);
    if (!push_first) push(s);
    waiter.join();
    worker.join();
  });
}

// A worker takes a small loop's job and is busy until the next one is done, which another worker has to be called for.
model::result take_small_job(mistake wrong, bool working, model::options how) {
  return model::check(how, [=] {
    scene s(wrong, 2);
    s.first_is_small = true;
    model::label(s.second_is_done, "second_is_done");
    if (working) s.wanted = s.allotted = s.limit;
    model::thread first("worker 1", [&s] { s.worker(); });
    model::thread second("worker 2", [&s] { s.worker(); });
    push_twice(s);
    first.join();
    second.join();
  });
}

model::result leave_for_another_arena(mistake wrong, script owner, model::options how) {
  return model::check(how, [=] {
    scene s(wrong, 1);
    s.wanted = s.allotted = s.limit;
    model::thread worker("worker", [&s] { s.worker_of_two_arenas(); });
    owner(s);
    worker.join();
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

// Two stolen forks, one after the other: the frame of the first is gone when the second is waited for.
model::result wait_for_forks(mistake wrong) {
  return model::check({}, [=] {
    scene s(wrong, 0);
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
      atomic<std::uint32_t> state{pending};
      stolen[i].store(&state, mo::release);
      s.wait(bed, state, true);
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

TEST_CASE("a waiter in the arena keeps no job from a worker") {
  for (bool const restricted : {false, true}) {
    for (bool const push_first : {false, true}) {
      hold(park_waiter(mistake::none, restricted, push_first, bounded(2, true)));
    }
    if (!restricted) hold(park_waiter(mistake::none, restricted, false, bounded(2, true), true));
  }
}

TEST_CASE("each step of parking is needed") {
  struct {
    mistake wrong;
    script owner;
    bool working;
  } const cases[] = {{mistake::no_heavy_fence, push_pop_push, false}, {mistake::look_before_arming, push_pop_push, false},
                     {mistake::arm_once, push_twice, false},          {mistake::look_before_entering, push, false},
                     {mistake::pop_disarms, push_pop_push, false}};
  for (auto const& c : cases) {
    CAPTURE(static_cast<int>(c.wrong));
    CHECK(park(c.wrong, 1, c.owner, c.working, bounded(3, true)).kind == "deadlock");
  }
  struct {
    mistake wrong;
    bool push_first;
  } const waiters[] = {{mistake::no_push_fence, false},
                       {mistake::no_search_fence, false},
                       {mistake::searcher_just_leaves, false},
                       {mistake::called_waiter_just_leaves, true},
                       {mistake::early_waiter_just_leaves, true}};
  for (auto const& c : waiters) {
    CAPTURE(static_cast<int>(c.wrong));
    CHECK(park_waiter(c.wrong, false, c.push_first, bounded(3, true)).kind == "deadlock");
  }
  CHECK(park_waiter(mistake::rest_forgets, false, false, bounded(2, true), true).kind == "deadlock");
}

TEST_CASE("a worker that is busy with a small job calls nobody for it, but for what comes after it") {
  for (bool const working : {false, true}) hold(take_small_job(mistake::none, working, bounded(1, true)));
  for (mistake const wrong : {mistake::small_unarmed, mistake::small_lightly, mistake::small_unlooked}) {
    CAPTURE(static_cast<int>(wrong));
    CHECK(take_small_job(wrong, false, bounded(1, true)).kind == "deadlock");
  }
  CHECK(take_small_job(mistake::arm_on_old_news, true, bounded(2, true)).kind == "deadlock");
}

TEST_CASE("a worker that leaves for another arena is called back") {
  for (script const owner : {push_twice, push_thrice}) {
    hold(leave_for_another_arena(mistake::none, owner, bounded(2, true)));
  }
  CHECK(leave_for_another_arena(mistake::uninformed, push_thrice, bounded(3, true)).kind == "deadlock");
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
