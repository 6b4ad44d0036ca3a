// SPDX-License-Identifier: Apache-2.0
// How long an enqueued task waits while another application thread runs small loops without a pause: the worst of all
// waits. Row `busy`: 8 processes compute beside it. --size is the length of a sample in seconds.
#include "busy_processes.h"
#include "team.h"

#include <bench/report.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

namespace {

// A task's begin, told to the thread that enqueued it.
class begin_of_task {
 public:
  void tell() {
    std::lock_guard<std::mutex> const hold(lock_);
    at_ = bench::wall_now();
    told_.notify_one();
  }
  // 0 if it did not begin within a minute.
  double wait() {
    std::unique_lock<std::mutex> hold(lock_);
    told_.wait_for(hold, std::chrono::minutes(1), [this] { return at_ != 0; });
    return at_;
  }

 private:
  std::mutex lock_;
  std::condition_variable told_;
  double at_ = 0;
};

struct waits {
  double worst = 0;
  long count = 0;
};

// Every task in an arena of its own, which has just been made.
waits enqueue_for(double seconds) {
  waits found;
  for (double const end = bench::wall_now() + seconds; bench::wall_now() < end; ++found.count) {
    begin_of_task task;
    tbb::task_arena fresh(2);
    double const enqueued = bench::wall_now();
    fresh.enqueue([&task] { task.tell(); });
    double const began = task.wait();
    if (began == 0) {
      std::fprintf(stderr, "an enqueued task did not begin within a minute\n");
      std::quick_exit(1);  // the task still refers to this frame
    }
    found.worst = std::max(found.worst, began - enqueued);
  }
  return found;
}

int measure(bench::options const& o) {
  bool const busy = bench::is_row(o, "busy");
  if (!busy && !bench::is_row(o, "quiet")) bench::usage("unknown row", o.row);
  bench::report r(o, "ms");
  threads::busy_processes const beside(busy ? 8 : 0);
  threads::team t(o.threads);
  std::atomic<bool> stop{false};
  std::thread loops([&stop] {
    std::atomic<long> ran{0};
    while (!stop) tbb::parallel_for(0, 1000, [&](int) { ran.fetch_add(1, std::memory_order_relaxed); });
  });
  double worst = 0;
  long count = 0;
  bench::bystanders const others;
  for (int i = 0; i < o.samples; ++i) {
    waits const found = enqueue_for(o.size ? static_cast<double>(o.size) : 10);
    r.add({found.worst * 1e3, 0});
    worst = std::max(worst, found.worst);
    count += found.count;
  }
  r.foreign(others);
  stop = true;
  loops.join();
  r.value("worst", worst * 1e3);
  r.value("tasks", static_cast<double>(count));
  r.check(count > 0 && beside.count() == (busy ? 8 : 0), "tasks and processes");
  return r.finish();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  try {
    return measure(o);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", o.row, error.what());
    return 1;
  }
}
