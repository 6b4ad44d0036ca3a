// SPDX-License-Identifier: Apache-2.0
// No job is left while threads that may run it sleep: src/sched/README.md, 'Parking', 'Demand', 'Reserved jobs' and
// 'Busy application threads'. The code is the product's (scheduler_scene.h). Where every worker sleeps without a
// time-out while a job is left, the checker reports a deadlock.
#include "scheduler_scene.h"

#include <scenes.h>

using namespace ashlar;
using namespace ashlar::model;

namespace {

// ---- Pushing and sleeping

void one_job() {
  scheduler_scene s(1);
  application a(2);
  a.spawn(s.make());
  s.rest();
}

void job_after_job() {
  scheduler_scene s(1);
  application a(2);
  a.spawn(s.make());
  a.spawn(s.make());
  s.rest();
}

void two_workers() {
  scheduler_scene s(2);
  application a(3);
  a.spawn(s.make());
  a.spawn(s.make());
  s.rest();
}

void enqueued() {
  scheduler_scene s(1);
  application a(2);
  a.home().enqueue(s.make(), 1);
  a.home().enqueue(s.make(), 1);
  s.rest();
}

// A slot's bit is up, and the arena's is down, when the worker searches.
void enqueued_and_pushed() {
  scheduler_scene s(1);
  application a(2);
  a.home().enqueue(s.make(), 1);
  // The worker may as well have stopped already.
  for (int i = 0; i < 20 && a.home().searching() == 0; ++i) cpu_pause();
  a.spawn(s.make());
  a.spawn(s.make());
  s.rest();
}

// The first job is not over before the second has begun, which is left to the thread that takes the first.
void dependent() {
  scheduler_scene s(2);
  application a(3);
  atomic<bool> begun{false};
  a.spawn(s.make([&begun](slot&) {
    while (!begun.load(mo::relaxed)) cpu_pause();
  }));
  a.spawn(s.make([&begun](slot&) { begun.store(true, mo::relaxed); }));
  s.rest();
}

// A part of a loop: its thief offers a half before it calls others, and waits in the body until that has begun.
void halved() {
  scheduler_scene s(2);
  application a(3);
  atomic<bool> begun{false};
  job& half = s.make([&begun](slot&) { begun.store(true, mo::relaxed); });
  job& part = s.make([&begun, &half](slot& here) {
    here.spawn(half);
    here.call_others();
    while (!begun.load(mo::relaxed)) cpu_pause();
  });
  a.own_slot().spawn(part, a.own_slot().child_key() | key_halved);
  s.rest();
}

// The owner waits for a job, and for another one that the first leaves to it or to others.
void owner_waits() {
  scheduler_scene s(1);
  application a(2);
  latch over;
  a.spawn(s.make(over));
  a.wait(over);
  a.spawn(s.make());
  s.rest();
}

// What the owner waits for starts a job that waits for the owner: a job that came too late for the wait.
template <bool Enqueues>
void successor_waits() {
  scheduler_scene s(1);
  application a(2);
  latch over;
  atomic<bool> back{false};
  job& successor = s.make([&back](slot&) {
    while (!back.load(mo::relaxed)) cpu_pause();
  });
  a.spawn(s.make([&over, &successor](slot& here) {
    latch::set(over);
    Enqueues ? here.enqueue(successor, 1) : here.spawn(successor);
  }));
  // The worker may take the job.
  for (int i = 0; i < 20 && !a.own_slot().looks_empty(); ++i) cpu_pause();
  a.wait(over);
  back.store(true, mo::relaxed);
  s.rest();
}

// Each job is run while the other one's thread is busy with its own: it pushes the second and waits for it.
void nested_wait() {
  scheduler_scene s(1);
  application a(2);
  latch over;
  a.spawn(s.make([&s, &over](slot& here) {
    latch inner;
    here.spawn(s.make(inner), here.child_key());
    wait_for(here, inner);
    latch::set(over);
  }));
  a.wait(over);
  s.rest();
}

// Two application threads share an arena for which there are no workers: one waits, the other one's jobs are for it.
template <int Jobs>
void waiter() {
  scheduler_scene s(0);
  application a(2, 2);
  latch over;
  model::thread other("other", [&] {
    application b(a.home());
    for (int i = 1; i < Jobs; ++i) b.spawn(s.make());
    b.spawn(s.make(over));
  });
  a.wait(over);
  other.join();
  s.rest();
}

// The same, but the job is enqueued, and the thread that waits is woken by the job's end where a worker runs it.
void waiter_or_worker() {
  scheduler_scene s(1);
  application a(3, 2);
  latch over;
  model::thread other("other", [&] {
    application b(a.home());
    b.spawn(s.make(over));
  });
  a.wait(over);
  other.join();
  s.rest();
}

// The waiting thread leaves its search for what it waits for, while a job was left to it.
void waiter_goes() {
  scheduler_scene s(1);
  application a(3, 2);
  latch over;
  model::thread other("other", [&] {
    application b(a.home());
    b.spawn(s.make());
    latch::set(over);
  });
  a.wait(over);
  other.join();
  s.rest();
}

// The waiting thread is in an isolated region, and takes none of the jobs.
void restricted_waiter() {
  scheduler_scene s(1);
  s.without_watchdog();
  application a(3, 2);
  latch over;
  model::thread other("other", [&] {
    application b(a.home());
    b.spawn(s.make());
    latch::set(over);
  });
  a.own_slot().begin_region(1);
  a.wait(over);
  other.join();
  s.rest();
}

// ---- The same without a watchdog, which would find again what was lost

template <void (*Scene)(scheduler_scene&)>
void unwatched() {
  scheduler_scene s(1);
  s.without_watchdog();
  Scene(s);
  s.rest();
}

void push(scheduler_scene& s) {
  application a(2);
  a.spawn(s.make());
}

void push_twice(scheduler_scene& s) {
  application a(2);
  a.spawn(s.make());
  a.spawn(s.make());
}

void push_pop_push(scheduler_scene& s) {
  application a(2);
  a.spawn(s.make());
  a.own_slot().run_newest();
  a.spawn(s.make());
}

void two_unwatched() {
  scheduler_scene s(2);
  s.without_watchdog();
  application a(3);
  a.spawn(s.make());
  a.spawn(s.make());
  s.rest();
}

// The slot's bit is up when the first job is pushed, and left to a worker that searches. That one takes the job, is
// busy until the second has begun, and calls another worker, which finds nothing and sleeps: all before the owner
// lowers the bit, which would tell it of that.
void pushed_while_another_sleeps() {
  scheduler_scene s(2);
  s.without_watchdog();
  application a(3);
  a.home().enqueue(s.make(), 1);
  for (int i = 0; i < 20 && a.home().searching() == 0; ++i) cpu_pause();
  atomic<bool> begun{false};
  a.spawn(s.make([&begun](slot&) {
    while (!begun.load(mo::relaxed)) cpu_pause();
  }));
  a.spawn(s.make([&begun](slot&) { begun.store(true, mo::relaxed); }));
  s.rest();
}

// ---- Which arena gets the worker

void two_arenas() {
  scheduler_scene s(1);
  application a(2);
  arena& b = make_arena(2, 1);
  b.enqueue(s.make(), 1);
  a.spawn(s.make());
  s.rest();
}

void two_applications() {
  scheduler_scene s(1);
  application a(2);
  model::thread other("other", [&s] {
    application b(2);
    b.spawn(s.make());
    b.leave();
  });
  a.spawn(s.make());
  other.join();
  s.rest();
}

// Only enqueued jobs are for workers. The arena's threads have run the first when somebody calls for another reason.
void wish_withdrawn() {
  scheduler_scene s(1);
  application a(2, 2);
  model::thread other("other", [&] {
    application b(a.home());
    latch mine;
    b.spawn(s.make(mine));
    b.wait(mine);
  });
  latch over;
  a.home().enqueue(s.make(over), 1);
  a.wait(over);
  a.home().enqueue(s.make(), 1);
  other.join();
  s.rest();
}

// The only slot that a worker could take is an application thread's at first.
void external() {
  scheduler_scene s(1);
  application a(2);
  arena& here = a.home();
  here.retain();
  atomic<bool> sits{false};
  model::thread other("other", [&] {
    application b(here);
    sits.store(true, mo::relaxed);
    b.leave();
  });
  while (!sits.load(mo::relaxed)) cpu_pause();
  a.spawn(s.make());
  other.join();
  s.rest();
}

// A job is left by an application thread that ends.
void abandoned() {
  scheduler_scene s(1);
  application a(2);
  a.spawn(s.make());
  arena& here = a.home();
  a.leave();
  here.release();
  s.rest();
}

// ---- Busy application threads

void refused() {
  scheduler_scene s(1);
  application a(2);
  s.set_busy(2);
  a.beside_another();
  a.spawn(s.make());
  s.set_busy(0);
  s.rest();
}

void refused_again() {
  scheduler_scene s(1);
  application a(2);
  s.set_busy(2);
  a.beside_another();
  a.spawn(s.make());
  s.set_busy(0);
  a.spawn(s.make());
  s.rest();
}

// The refused job is run by its owner before a watchdog looks.
void refused_and_taken_back() {
  scheduler_scene s(1);
  application a(2);
  s.set_busy(2);
  a.beside_another();
  a.spawn(s.make());
  s.set_busy(0);
  a.own_slot().run_newest();
  a.spawn(s.make());
  s.rest();
}

void refused_in_two_arenas() {
  scheduler_scene s(1);
  application a(2);
  s.set_busy(2);
  a.beside_another();
  arena& b = make_arena(2, 1);
  a.spawn(s.make());
  b.enqueue(s.make(), 1);
  s.set_busy(0);
  s.rest();
}

void limit_raised() {
  scheduler_scene s(0);
  application a(2);
  a.spawn(s.make());
  s.set_workers(1);
  s.rest();
}

// ---- Reserved jobs, whose owner does not come back to them

void reserved() {
  scheduler_scene s(1);
  application a(2);
  a.own_slot().offer(s.make(), 1);
  s.rest();
}

void reserved_after_work() {
  scheduler_scene s(1);
  application a(2);
  a.spawn(s.make());
  a.own_slot().offer(s.make(), 1);
  s.rest();
}

void reserved_twice() {
  scheduler_scene s(1);
  application a(2);
  a.own_slot().offer(s.make(), 1);
  a.own_slot().offer(s.make(), 1);
  s.rest();
}

// The first one is taken back before the watchdog looks.
void reserved_and_taken_back() {
  scheduler_scene s(1);
  application a(2);
  a.spawn(s.make());
  while (!market::get().duty().taken()) cpu_pause();
  a.own_slot().offer(s.make(), 1);
  a.own_slot().run_newest();
  a.own_slot().offer(s.make(), 1);
  s.rest();
}

// A worker takes a small loop's job, for which it calls nobody, and is busy until the next job is over. A job before
// these makes the workers, one of which is on duty then, so that the small job stays one.
void busy_with_small_job() {
  scheduler_scene s(2);
  application a(3);
  atomic<bool> over{false};
  a.spawn(s.make());
  while (!market::get().duty().taken()) cpu_pause();
  a.own_slot().offer(s.make([&over](slot&) {
    while (!over.load(mo::relaxed)) cpu_pause();
  }),
                     1);
  a.spawn(s.make([&over](slot&) { over.store(true, mo::relaxed); }));
  s.rest();
}

// With so many preemptions each scene is searched through in a second or two.
scene const scenes[] = {
    {"one job", one_job, 2},
    {"job after job", job_after_job, 1},
    {"enqueued", enqueued, 2},
    {"enqueued and pushed", enqueued_and_pushed, 1},
    {"owner waits", owner_waits, 0},
    {"waiter", waiter<1>, 1},
    {"waiter of two jobs", waiter<2>, 1},
    {"waiter or worker", waiter_or_worker, 0},
    {"waiter goes", waiter_goes, 0},
    {"nested wait", nested_wait, 0},
    {"restricted waiter", restricted_waiter, 0},
    {"push", unwatched<push>, 2},
    {"push twice", unwatched<push_twice>, 2},
    {"push, pop, push", unwatched<push_pop_push>, 1},
    {"two arenas", two_arenas, 2},
    {"two applications", two_applications, 1},
    {"external", external, 1},
    {"abandoned", abandoned, 2},
    {"refused", refused, 2},
    {"refused again", refused_again, 2},
    {"refused and taken back", refused_and_taken_back, 2},
    {"refused in two arenas", refused_in_two_arenas, 2},
    {"limit raised", limit_raised, 2},
    {"reserved", reserved, 2},
    {"reserved after work", reserved_after_work, 2},
    {"reserved twice", reserved_twice, 2},
    {"reserved and taken back", reserved_and_taken_back, 1},
};
// Too many interleavings for a search through all.
scene const large[] = {{"two workers", two_workers},
                       {"two, unwatched", two_unwatched},
                       {"busy with small job", busy_with_small_job},
                       {"dependent", dependent},
                       {"halved", halved},
                       {"successor waits", successor_waits<false>},
                       {"enqueued successor waits", successor_waits<true>},
                       {"pushed while another sleeps", pushed_while_another_sleeps},
                       {"wish withdrawn", wish_withdrawn}};

options bounded() {
  options how;
  how.timeouts = 2;
  how.trim = true;
  how.leaks = false;
  return how;
}

}  // namespace

TEST_CASE("no job is left") {
  check_all(scenes, bounded(), 1);
  check_randomly(scenes, 500, {search::random, search::pct}, bounded());
  check_randomly(large, 2000, {search::random, search::pct}, bounded());
}

TEST_CASE("without membarrier") {
  heavy_fence_missing = true;
  check_randomly(scenes, 300, {search::random, search::pct}, bounded());
  heavy_fence_missing = false;
}
