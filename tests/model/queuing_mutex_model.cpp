// SPDX-License-Identifier: Apache-2.0
// queuing_mutex: threads exclude each other, the head's role is never lost, nobody sleeps for ever, and no scoped_lock
// is touched after it has gone. Waiters sleep at once and overtake whenever the lock is open.
#include <doctest/doctest.h>

#include <scenes.h>
#include <sleepers.h>

#include <ashlar/sync/queuing_mutex.h>

#include "sync/parker.cpp"
#include "sync/queuing_mutex.cpp"
#include "sync/wait_on.cpp"

using namespace ashlar;

namespace {

struct counted {
  model::sleepers table;
  tbb::queuing_mutex mutex;
  model::var<int> counter{0};

  counted() { model::label(mutex, "mutex"); }
  void enter(int times) {
    for (int i = 0; i < times; ++i) {
      tbb::queuing_mutex::scoped_lock const l(mutex);
      counter.set(counter.get() + 1);
    }
  }
};

void together(int mine, int first, int second) {
  counted c;
  model::thread a("thread 1", [&] { c.enter(first); });
  if (second != 0) {
    model::thread b("thread 2", [&] { c.enter(second); });
    c.enter(mine);
    b.join();
  } else {
    c.enter(mine);
  }
  a.join();
  model::require(c.counter.get() == mine + first + second, "all have been in");
}

void two_threads() { together(1, 1, 0); }
void again() { together(2, 1, 0); }
void three_threads() { together(1, 1, 1); }
void three_threads_again() { together(2, 1, 1); }

void attempts() {
  counted c;
  model::thread a("thread 1", [&] {
    tbb::queuing_mutex::scoped_lock l;
    if (!l.try_acquire(c.mutex)) return;
    c.counter.set(c.counter.get() + 1);
  });
  c.enter(2);
  a.join();
  model::require(c.counter.get() >= 2, "who waits gets in");
}

model::scene const scenes[] = {{"two threads", two_threads, 4},
                               {"again", again, 3},
                               {"attempts", attempts, 3},
                               {"three threads", three_threads, 2},
                               {"three threads, again", three_threads_again, 1}};

}  // namespace

TEST_CASE("threads exclude each other and none waits for ever") { model::check_all(scenes); }

TEST_CASE("random search goes on where the exhaustive one stops") {
  model::options how;
  how.spurious = 1;
  model::check_randomly(scenes, 5'000, {model::search::random, model::search::pct}, how);
}

// The lock's own release orders what follows the head's role here; queuing_rw_mutex, which shares the lines of [QM5]
// and [QM6], needs them.
TEST_CASE("each order is needed") {
  model::check_each_order(
      scenes, {"include/ashlar/sync/queuing_mutex.h", "src/sync/queuing_mutex.cpp", "src/sync/queue_turn.h"},
      {"QM5", "QM6"});
}
