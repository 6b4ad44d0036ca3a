// SPDX-License-Identifier: Apache-2.0
// Ten races in user code beside calls of the library, which is not instrumented: what ThreadSanitizer is told of the
// library's edges must not hide them. usage: racy NUMBER (0 to 9); each is one race, on `plain`.
#include <tbb/concurrent_queue.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/spin_mutex.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_init.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

namespace {

int plain = 0;

// Returns when so many threads have called it: they run beside each other. Relaxed, so it orders nothing.
void meet(std::atomic<int>& here, int all) {
  here.fetch_add(1, std::memory_order_relaxed);
  while (here.load(std::memory_order_relaxed) < all) std::this_thread::yield();
}
std::atomic<int> arrived{0};

void touch_beside() {
  meet(arrived, 2);
  ++plain;
}

void loop() {
  tbb::parallel_for(0, 2, [](int) { touch_beside(); }, tbb::simple_partitioner());
}
void reduction() {
  tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 2), 0,
      [](tbb::blocked_range<int> const&, int x) {
        touch_beside();
        return x;
      },
      std::plus<>(), tbb::simple_partitioner());
}
void two_tasks() {
  tbb::task_group g;
  g.run([] { touch_beside(); });
  g.run([] { touch_beside(); });
  g.wait();
}
void invoked() {
  tbb::parallel_invoke([] { touch_beside(); }, [] { touch_beside(); });
}
// The spawner goes on writing after run().
void spawner() {
  tbb::task_group g;
  g.run([] {
    meet(arrived, 2);
    ++plain;
  });
  meet(arrived, 2);
  ++plain;
  g.wait();
}
void filter() {
  int left = 2;
  tbb::parallel_pipeline(
      2, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
           if (left == 0) control.stop();
           return left == 0 ? 0 : left--;
         }) & tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) { touch_beside(); }));
}
// The result is read before wait().
void early() {
  tbb::task_group g;
  std::atomic<bool> written{false};
  g.run([&] {
    plain = 1;
    written.store(true, std::memory_order_relaxed);
  });
  while (!written.load(std::memory_order_relaxed)) std::this_thread::yield();
  ++plain;
  g.wait();
}
void two_locks() {
  tbb::spin_mutex a, b;
  tbb::parallel_for(
      0, 2,
      [&](int i) {
        meet(arrived, 2);
        tbb::spin_mutex::scoped_lock const l(i == 0 ? a : b);
        ++plain;
      },
      tbb::simple_partitioner());
}
// The element is written after it was pushed.
void queue() {
  tbb::concurrent_queue<int*> q;
  std::thread other([&] {
    q.push(&plain);
    meet(arrived, 2);
    ++plain;
  });
  int* p = nullptr;
  while (!q.try_pop(p)) std::this_thread::yield();
  meet(arrived, 2);
  ++*p;
  other.join();
}
void enqueued() {
  tbb::task_arena a(2);
  std::atomic<bool> over{false};
  a.enqueue([&] {
    meet(arrived, 2);
    ++plain;
    over.store(true);
  });
  meet(arrived, 2);
  ++plain;
  while (!over.load()) std::this_thread::yield();
}

}  // namespace

int main(int argc, char** argv) {
  tbb::task_scheduler_init const four(4);
  void (*const races[])() = {&loop,   &reduction, &two_tasks, &invoked, &spawner,
                             &filter, &early,     &two_locks, &queue,   &enqueued};
  races[(argc > 1 ? std::atoi(argv[1]) : 0) % 10]();
}
