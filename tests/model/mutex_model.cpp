// SPDX-License-Identifier: Apache-2.0
// The adaptive mutex and the sleepers' table under it: threads exclude each other, none sleeps for ever, and a mutex
// may die as soon as its last user has it. The condition variable: no notification is missed.
#include <doctest/doctest.h>

#include <scenes.h>
#include <sleepers.h>

#include <ashlar/sync/condition_variable.h>

#include "sync/mutex.cpp"
#include "sync/parker.cpp"
#include "sync/wait_on.cpp"

using namespace ashlar;

namespace {

void exclude(int threads, int rounds) {
  model::sleepers table;
  sync::adaptive_mutex m;
  model::label(m, "mutex");
  model::var<int> counter{0};
  auto const enter = [&] {
    m.lock();
    counter.set(counter.get() + 1);
    m.unlock();
  };
  model::thread a("thread 1", [&] {
    for (int i = 0; i < rounds; ++i) enter();
  });
  if (threads == 3) {
    model::thread b("thread 2", enter);
    enter();
    b.join();
  } else {
    enter();
  }
  a.join();
  model::require(counter.get() == threads - 1 + rounds, "all have been in");
}

void two_threads() { exclude(2, 1); }
void three_threads() { exclude(3, 1); }
// One thread frees the mutex twice: the bucket is disarmed and armed again.
void again() { exclude(2, 2); }

// Two mutexes in one bucket: a wake-up for one is none for the other.
void neighbours() {
  model::sleepers table;
  sync::adaptive_mutex m[2];
  m[0].lock();
  m[1].lock();
  model::thread a("thread 1", [&] {
    m[0].lock();
    m[0].unlock();
  });
  model::thread b("thread 2", [&] {
    m[1].lock();
    m[1].unlock();
  });
  m[1].unlock();
  m[0].unlock();
  a.join();
  b.join();
}

void destroyed_at_once() {
  model::sleepers table;
  auto* const m = new sync::adaptive_mutex;
  m->lock();
  model::thread a("destroyer", [&] {
    m->lock();
    m->unlock();
    delete m;
  });
  m->unlock();
  a.join();
}

void notification() {
  model::sleepers table;
  sync::adaptive_mutex m;
  auto* const condition = new sync::adaptive_condition_variable;
  model::var<int> ready{0};
  model::thread a("waiter", [&] {
    sync::unique_lock<sync::adaptive_mutex> l(m);
    while (ready.get() == 0) condition->wait(l);
  });
  {
    sync::lock_guard<sync::adaptive_mutex> const l(m);
    ready.set(1);
    condition->notify_all();
  }
  a.join();
  delete condition;
}

void time_out() {
  model::sleepers table;
  int const key = 0;
  atomic<int> go{0};
  auto const waiting = [&]() noexcept { return go.load(mo::relaxed) == 0; };
  model::thread a("sleeper", [&] {
    while (sync::wait_while(&key, waiting, sync::wait_kind::noted, 1000) == sync::wait_result::woken && waiting()) {
    }
  });
  go.store(1, mo::relaxed);
  sync::wake_one(&key);
  a.join();
}

model::scene const scenes[] = {{"two threads", two_threads, 3},
                               {"destroyed at once", destroyed_at_once, 3},
                               {"again", again, 2},
                               {"notification", notification, 2},
                               {"time-out", time_out, 2},
                               {"neighbours", neighbours, 1},
                               {"three threads", three_threads, 1}};

}  // namespace

TEST_CASE("threads exclude each other and none sleeps for ever") { model::check_all(scenes); }

TEST_CASE("random search goes on where the exhaustive one stops") {
  model::options how;
  how.spurious = 1;
  how.timeouts = 1;
  model::check_randomly(scenes, 5'000, {model::search::random, model::search::pct}, how);
}

TEST_CASE("each order is needed") {
  for (char const* file :
       {"include/ashlar/sync/mutex.h", "src/sync/mutex.cpp", "src/sync/parker.h", "src/sync/parker.cpp"}) {
    model::check_each_order(scenes, {file});
  }
}
