// SPDX-License-Identifier: Apache-2.0
// collaborative_call_once: the call is made once, everybody returns after it and sees what it did, an attempt that fails
// is followed by another one, and nobody enters the arena of a caller that has gone. call_once.cpp and the parking lot are the real ones; seats in arenas are the scene's.
#include <doctest/doctest.h>

#include <engine/model.h>
#include <engine/os.h>

#include "algo/call_once.cpp"
#include "sched/deque.cpp"
#include "sched/parking.cpp"

#include <memory>
#include <vector>

using namespace ashlar;

namespace {

sched::parking_lot* the_lot = nullptr;  // of the execution
model::var<int>* the_arena = nullptr;   // 1 as long as the caller sits in it

}  // namespace

namespace ashlar::sched {

__thread slot* current_slot = nullptr;
slot& attach_thread() { return *current_slot; }
// Only the caller draws one: after it has taken its seat, and before it names its arena in the flag.
std::uint32_t isolation_scope::new_isolation_tag() noexcept {
  the_arena->set(1);
  return 1;
}

bool arena_visit::enter(arena&) {
  model::require(the_arena->get() == 1, "a thread joins an arena that its caller has left");
  return true;
}
void arena_visit::leave() noexcept {}

// What the library's slot does when a wait finds nothing to run: dispatch.cpp, park_waiter.
void slot::wait(wait_target const& target) noexcept {
  sleeper bed;
  while (!target.done(target)) {
    the_lot->enter_waiter(bed, *reinterpret_cast<arena*>(this), target.address, true);
    bool const announced = target.announce(target);
    if (announced) os::heavy_fence();
    if (!announced || target.done(target)) {
      the_lot->leave(bed);
      continue;
    }
    bed.sleep();
  }
}
void wake_waiters(void const* address) noexcept { the_lot->wake_address(address); }
void context::retire() noexcept { model::require(false, "no context is cancelled here"); }

}  // namespace ashlar::sched

namespace {

struct failure {};

struct scene {
  sched::parking_lot lot;
  sched::slot here;  // one for all threads: what the flag does with it is restored
  model::var<int> arena;
  model::var<int> result;
  model::var<int> failures;
  algo::once_state* flag = new algo::once_state;

  explicit scene(int attempts_that_fail) {
    the_lot = &lot;
    the_arena = &arena;
    sched::current_slot = &here;
    arena.set(0);
    failures.set(attempts_that_fail);
    model::label(*flag, "flag");
  }

  // What tbb::collaborative_call_once does. True if this thread has made the call.
  bool call() {
    bool mine = false;
    while (!mine && !flag->is_done()) {
      try {
        flag->run([&] {
          model::require(result.get() == 0, "the call is made once");
          if (failures.get() != 0) {
            failures.set(failures.get() - 1);
            throw failure();
          }
          result.set(1);
          mine = true;
        });
      } catch (failure const&) {
        // The user's thread tries again.
      }
    }
    if (!mine) model::require(result.get() == 1, "a thread returns without what the call did");
    return mine;
  }
};

// The caller leaves its arena as soon as it may.
void together(int others) {
  scene s(0);
  auto const body = [&s] {
    if (s.call()) s.arena.set(0);
  };
  std::vector<std::unique_ptr<model::thread>> threads;
  for (int i = 0; i < others; ++i) threads.push_back(std::make_unique<model::thread>("other", body));
  body();
  for (auto& t : threads) t->join();
  delete s.flag;
}
void two_threads() { together(1); }
void three_threads() { together(2); }

// The first attempt fails while somebody joins it.
void failing() {
  scene s(1);
  model::thread other("other", [&s] { s.call(); });
  s.call();
  other.join();
  model::require(s.failures.get() == 0 && s.result.get() == 1, "the second attempt is made");
  delete s.flag;
}

struct {
  char const* name;
  void (*body)();
  int preemptions;
} const scenes[] = {{"two threads", two_threads, 3}, {"three threads", three_threads, 1}, {"failing", failing, 2}};

}  // namespace

TEST_CASE("the call is made once, and nobody returns before it") {
  for (auto const& s : scenes) {
    model::options how;
    how.name = s.name;
    how.preemptions = s.preemptions;
    how.trim = true;
    model::result const r = model::check(how, s.body);
    INFO(r.report);
    CHECK(!r.failed);
    CHECK(r.complete);
    CHECK(r.executions >= 3);
  }
}

TEST_CASE("each order is needed") {
  char const* const files[] = {"include/ashlar/algo/call_once.h", "src/algo/call_once.cpp"};
  for (char const* const file : files) {
    for (std::string const& tag : model::tags_of(file)) {
      bool caught = false;
      for (auto const& s : scenes) {
        model::options how;
        how.preemptions = 3;
        how.trim = true;
        how.weaken = model::tagged(file, tag);
        caught = caught || model::check(how, s.body).failed;
      }
      INFO(std::string(file) << " [" << tag << "]");
      CHECK(caught);
    }
  }
}
