// SPDX-License-Identifier: Apache-2.0
// When a thread takes an enqueued job, and when spawned ones.
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <doctest/doctest.h>

#include "support/thread_team.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace {

template <typename Done>
void watch(Done done) {
  while (!done()) std::this_thread::yield();
}

// The place of an enqueued job among `spawned` ones, older than the job, that one worker takes from this thread.
int place_among(int spawned) {
  test::thread_team const two(2);
  tbb::task_arena arena(2, 1);
  std::atomic<bool> busy{false}, go{false};
  std::atomic<int> ended{0};
  std::atomic<int> place{-1};
  arena.execute([&] {
    tbb::task_group first, others;
    first.run([&] {
      busy = true;
      watch([&] { return go.load(); });
    });
    watch([&] { return busy.load(); });  // the worker has it
    for (int i = 0; i < spawned; ++i) others.run([&] { ++ended; });
    arena.enqueue([&] { place = ended++; });
    go = true;
    watch([&] { return ended == spawned + 1 && place >= 0; });  // nobody waits for the enqueued job otherwise
    first.wait();
    others.wait();
  });
  return place;
}

}  // namespace

TEST_CASE("enqueue: what was begun before is finished first") {
  CHECK(place_among(1) == 1);
  CHECK(place_among(3) == 3);
}

TEST_CASE("enqueue: spawned jobs do not keep an enqueued one for ever") {
  int const place = place_among(200);
  CHECK(place >= 1);
  CHECK(place <= 10);
}

TEST_CASE("enqueue: a thread that waits takes an enqueued job when nothing else is left") {
  test::thread_team const two(2);
  tbb::task_arena arena(2, 1);
  std::atomic<bool> busy{false}, taken{false};
  arena.execute([&] {
    tbb::task_group group;
    group.run([&] {
      busy = true;
      watch([&] { return taken.load(); });  // the worker is not free before
    });
    watch([&] { return busy.load(); });
    arena.enqueue([&] { taken = true; });
    group.wait();
  });
  CHECK(taken);
}

TEST_CASE("enqueue: a wait takes what no worker can come for, because application threads have all slots") {
  test::thread_team const two(2);
  tbb::task_arena arena(2, 1);
  std::atomic<bool> inside{false}, over{false};
  std::thread other([&] {
    arena.execute([&] {
      inside = true;
      watch([&] { return over.load(); });
    });
  });
  watch([&] { return inside.load(); });
  constexpr int rounds = 500;  // which took 10 ms each, and half a second beside other programs
  auto const begun = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) {
    tbb::task_group group;
    tbb::task_handle handle = group.defer([] {});
    arena.execute([&] {
      arena.enqueue(std::move(handle));
      group.wait();
    });
  }
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(4));
  over = true;
  other.join();
}
