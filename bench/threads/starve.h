// SPDX-License-Identifier: Apache-2.0
// The worst wait of a task between the call that gives it away and its begin. Row `busy`: 8 processes compute beside
// it.
// --size is the length of a sample in seconds.
#pragma once

#include "busy_processes.h"

#include <bench/clock.h>
#include <bench/options.h>
#include <bench/report.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>

namespace threads {

// A task's begin, told to the thread that gave it away.
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

// One task after the other. scene.give(task, wait) gives a task away, and calls wait() before it returns.
template <typename Scene>
waits give_for(double seconds, Scene& scene) {
  waits found;
  for (double const end = bench::wall_now() + seconds; bench::wall_now() < end; ++found.count) {
    begin_of_task task;
    double const given = bench::wall_now();
    double began = 0;
    scene.give(task, [&] { began = task.wait(); });
    if (began == 0) {
      std::fprintf(stderr, "a task did not begin within a minute\n");
      std::quick_exit(1);  // the task still refers to this frame
    }
    found.worst = std::max(found.worst, began - given);
  }
  return found;
}

// The scene's constructor gets the number of threads.
template <typename Scene>
int report_waits(bench::options const& o) {
  bool const busy = bench::is_row(o, "busy");
  if (!busy && !bench::is_row(o, "quiet")) bench::usage("unknown row", o.row);
  bench::report r(o, "ms");
  busy_processes const beside(busy ? 8 : 0);
  Scene scene(o.threads);
  waits all;
  bench::bystanders const others;
  for (int i = 0; i < o.samples; ++i) {
    waits const found = give_for(o.size ? static_cast<double>(o.size) : 10, scene);
    r.add({found.worst * 1e3, 0});
    all.worst = std::max(all.worst, found.worst);
    all.count += found.count;
  }
  r.foreign(others);
  r.value("worst", all.worst * 1e3);
  r.value("tasks", static_cast<double>(all.count));
  r.check(all.count > 0 && beside.count() == (busy ? 8 : 0), "tasks and processes");
  return r.finish();
}

template <typename Scene>
int starve_main(int argc, char** argv) {
  bench::options const o = bench::parse(argc, argv);
  try {
    return report_waits<Scene>(o);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", o.row, error.what());
    return 1;
  }
}

}  // namespace threads
