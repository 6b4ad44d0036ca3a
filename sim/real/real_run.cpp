// SPDX-License-Identifier: Apache-2.0
#include "real/real_run.h"

#include "os/clock.h"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <ctime>
#include <vector>

namespace ashlar::sim {

namespace {

// What one thread has run.
struct alignas(128) tally {
  std::uint64_t tasks = 0, spawns = 0, waits = 0;
};

// Read at each step: apart from the group beside it on the stack, into which thieves write.
class alignas(256) real_run {
 public:
  real_run(program const& p, unsigned threads) : program_(p), tallies_(threads) {}

  // `covering`: the group whose wait covers the children that the task itself doesn't wait for.
  void task(task_state const& state, tbb::task_group& covering) {
    if (program_.join_of(state) == join_kind::inherited) return steps(state, covering);
    tbb::task_group own;
    steps(state, own);
    own.wait();
  }
  tally total() const {
    tally sum;
    for (tally const& t : tallies_) {
      sum.tasks += t.tasks;
      sum.spawns += t.spawns;
      sum.waits += t.waits;
    }
    return sum;
  }

 private:
  tally& mine() noexcept { return tallies_[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())]; }

  void steps(task_state state, tbb::task_group& group) {
    ++mine().tasks;
    task_state child;
    for (;;) {
      step const s = program_.next(state, child);
      switch (s.kind) {
        case step_kind::work:
          spin_for(s.work);
          break;
        case step_kind::spawn:
          ++mine().spawns;
          group.run([this, child, &group] { task(child, group); });
          break;
        case step_kind::wait:
        case step_kind::wait_continuation:  // a task_group has no other wait than the blocking one
          ++mine().waits;
          group.wait();
          break;
        case step_kind::end:
          return;
      }
    }
  }

  program const& program_;
  std::vector<tally> tallies_;
};

picoseconds cpu_time() noexcept {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (static_cast<picoseconds>(t.tv_sec) * 1000000000 + static_cast<picoseconds>(t.tv_nsec)) * nanosecond;
}

}  // namespace

picoseconds unfolding_time(program const& p) {
  std::uint64_t best = ~std::uint64_t(0);
  std::vector<task_state> open;
  for (int i = 0; i < 5; ++i) {
    std::uint64_t const start = os::now_ns();
    open.assign(1, p.root());
    task_state child;
    while (!open.empty()) {
      step_kind const kind = p.next(open.back(), child).kind;
      if (kind == step_kind::spawn) open.push_back(child);
      if (kind == step_kind::end) open.pop_back();
    }
    best = std::min(best, os::now_ns() - start);
  }
  return best * nanosecond;
}

real_result run_real(program const& p, unsigned threads, unsigned times) {
  spin_turn();
  tbb::task_arena arena(static_cast<int>(threads));
  real_run run(p, threads);
  real_result result;
  arena.execute([&] {
    picoseconds const cpu = cpu_time();
    std::uint64_t const start = os::now_ns();
    for (unsigned i = 0; i < times; ++i) {
      alignas(256) tbb::task_group all;
      run.task(p.root(), all);
      all.wait();
    }
    result.wall = (os::now_ns() - start) * nanosecond;
    result.cpu = cpu_time() - cpu;
  });
  tally const sum = run.total();
  result.tasks = sum.tasks;
  result.spawns = sum.spawns;
  result.waits = sum.waits;
  return result;
}

}  // namespace ashlar::sim
