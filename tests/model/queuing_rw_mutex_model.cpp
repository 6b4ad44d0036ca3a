// SPDX-License-Identifier: Apache-2.0
// queuing_rw_mutex: writers are alone, the head's role is never lost, nobody sleeps for ever, upgrades tell the truth,
// and no scoped_lock is touched after it has gone. Waiters sleep at once and overtake whenever the lock is open.
#include <doctest/doctest.h>

#include <rw_scenes.h>

#include <ashlar/sync/queuing_rw_mutex.h>

#include "sync/parker.cpp"
#include "sync/queuing_rw_mutex.cpp"
#include "sync/wait_on.cpp"

using namespace ashlar;

namespace {
std::vector<model::scene> const scenes = model::rw_scenes<tbb::queuing_rw_mutex>(3);
}

TEST_CASE("writers are alone and nobody waits for ever") {
  model::check_all(scenes);
  model::options how;
  how.spurious = 1;
  model::check_randomly(scenes, 1'000, {model::search::random, model::search::pct}, how);
}

TEST_CASE("each order is needed") {
  model::check_each_order(
      scenes, {"include/ashlar/sync/queuing_rw_mutex.h", "src/sync/queuing_rw_mutex.cpp", "src/sync/queue_turn.h"});
}
