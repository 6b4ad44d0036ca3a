// SPDX-License-Identifier: Apache-2.0
// collaborative_call_once: the call is made once, everybody returns after it and sees what it did, an attempt that
// fails is followed by another one, and nobody enters the arena of a caller that has gone. call_once.cpp and the
// parking lot are the real ones; slots in arenas are the scene's.
#include <doctest/doctest.h>

#include <scenes.h>

#include <parking_lot.h>
#include "algo/call_once.cpp"
#include "sched/queue/deque.cpp"

#include <parked_slot.h>

#include <memory>
#include <vector>

using namespace ashlar;

namespace {

model::var<int>* the_arena = nullptr;  // 1 as long as the caller sits in it

}  // namespace

namespace ashlar::inline v1::sched {

__thread slot* current_slot = nullptr;
slot& attach_thread() { return *current_slot; }
// Only the caller draws one: after it has taken its slot, and before it names its arena in the flag.
std::uint32_t new_isolation_tag() noexcept {
  the_arena->set(1);
  return 1;
}

bool arena_visit::enter(arena&) {
  model::require(the_arena->get() == 1, "a thread joins an arena that its caller has left");
  return true;
}
void arena_visit::leave() noexcept {}

void wake_waiters(void const* address) noexcept { model::the_lot->wake_address(address); }

}  // namespace ashlar::inline v1::sched

namespace {

struct failure {};

struct stage {
  model::parking_lot lot;
  sched::slot here;  // one for all threads: what the flag does with it is restored
  model::var<int> arena;
  model::var<int> result;
  model::var<int> failures;
  algo::once_state* flag = new algo::once_state;

  explicit stage(int attempts_that_fail) {
    model::the_lot = &lot;
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
  stage s(0);
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
  stage s(1);
  model::thread other("other", [&s] { s.call(); });
  s.call();
  other.join();
  model::require(s.failures.get() == 0 && s.result.get() == 1, "the second attempt is made");
  delete s.flag;
}

model::scene const scenes[] = {
    {"two threads", two_threads, 3}, {"three threads", three_threads, 1}, {"failing", failing, 2}};

model::options trimmed() {
  model::options how;
  how.trim = true;
  return how;
}

}  // namespace

TEST_CASE("the call is made once, and nobody returns before it") { model::check_all(scenes, trimmed(), 2); }

TEST_CASE("each order is needed") {
  for (char const* file : {"include/ashlar/algo/call_once.h", "src/algo/call_once.cpp"}) {
    model::check_each_order(scenes, {file}, {}, trimmed());
  }
}
