// SPDX-License-Identifier: Apache-2.0
// Who leaves a slot and who has to know of it: an arena ends once, when nobody is in it and nobody refers to it, and a
// call from outside of a full arena is made once. src/sched/README.md, 'Full arenas' and 'Who keeps an arena'. The code
// is the product's (scheduler_scene.h).
#include "scheduler_scene.h"

#include <scenes.h>

using namespace ashlar;
using namespace ashlar::model;

namespace {

// The handle goes while a thread is inside.
void handle_goes() {
  scheduler_scene s(0);
  application a(1);
  arena& here = a.home();
  model::thread handle("handle", [&here] { drop_arena(here); });
  a.leave();
  handle.join();
  s.end_arenas();
  s.rest();
}

// Another visitor comes with a handle of its own, which goes while that one is inside, or before.
void two_handles() {
  scheduler_scene s(0);
  application a(2, 2);
  arena& here = a.home();
  here.retain();
  model::thread handle("visitor", [&here] {
    application b(here);
    drop_arena(here);
    b.leave();
  });
  drop_arena(here);
  a.leave();
  handle.join();
  s.end_arenas();
  s.rest();
}

// The only slot becomes free while a call waits outside.
void one_call() {
  scheduler_scene s(0);
  application a(1);
  arena& here = a.home();
  s.expect(1);
  model::thread caller("caller", [&] {
    become_external();
    call_in_arena(here, [&s] { s.done(); });
  });
  a.leave();
  caller.join();
  drop_arena(here);
  s.end_arenas();
  s.rest();
}

void two_calls() {
  scheduler_scene s(0);
  application a(1);
  arena& here = a.home();
  s.expect(2);
  auto const call = [&] {
    become_external();
    call_in_arena(here, [&s] { s.done(); });
  };
  model::thread first("first caller", call);
  model::thread second("second caller", call);
  a.leave();
  first.join();
  second.join();
  drop_arena(here);
  s.end_arenas();
  s.rest();
}

// The thread inside waits for what the call does, so that it makes the call itself.
void inside_waits() {
  scheduler_scene s(0);
  application a(1);
  arena& here = a.home();
  latch over;
  model::thread caller("caller", [&] {
    become_external();
    call_in_arena(here, [&over] { latch::set(over); });
  });
  a.wait(over);
  caller.join();
  a.leave();
  drop_arena(here);
  s.end_arenas();
  s.rest();
}

scene const scenes[] = {
    {"handle goes", handle_goes, 3}, {"two handles", two_handles, 2},   {"one call", one_call, 2},
    {"two calls", two_calls, 1},     {"inside waits", inside_waits, 1},
};

options bounded() {
  options how;
  how.trim = true;
  how.leaks = false;
  return how;
}

}  // namespace

TEST_CASE("an arena ends once, and each call from outside is made once") {
  check_all(scenes, bounded(), 1);
  check_randomly(scenes, 1000, {search::random, search::pct}, bounded());
}

TEST_CASE("the same without membarrier") {
  heavy_fence_missing = true;
  check_randomly(scenes, 1000, {search::random, search::pct}, bounded());
  heavy_fence_missing = false;
}

TEST_CASE("each order of slots is needed") {
  // A claim makes what the occupant before has written its own: no word of the checker's. The light fence is one where
  // there is no heavy fence.
  heavy_fence_missing = true;
  check_each_order(scenes, {"include/ashlar/sched/core/slot_claim.h"}, {"A1", "A2"}, bounded());
  heavy_fence_missing = false;
}
