// SPDX-License-Identifier: Apache-2.0
#include "real/sharing.h"

#include "os/clock.h"
#include "os/membarrier.h"
#include "os/topology.h"
#include "real/median.h"
#include "real/real_run.h"

#include <ashlar/base/atomic.h>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <thread>
#include <vector>

namespace ashlar::sim {

picoseconds line_transfer(std::uint32_t rounds) {
  if (os::available_cpus() < 2) return 0;
  constexpr std::uint32_t stretch = 64;
  constexpr std::size_t enough = 15;
  atomic<std::uint32_t> ball{0};
  atomic<bool> over{false};
  std::vector<picoseconds> times;
  // [L1] a player's fetch_add: release -> [L2] the other's load: acquire
  auto const play = [&](std::uint32_t mine) {
    std::uint64_t const start = os::now_ns();
    std::uint64_t before = start;
    for (std::uint32_t i = 1; i <= rounds; ++i) {
      while (ball.load(mo::acquire) % 2 != mine) {  // [L2]
        if (over.load(mo::relaxed)) return;
      }
      ball.fetch_add(1, mo::release);  // [L1]
      if (mine != 0 || i % stretch != 0) continue;
      std::uint64_t const now = os::now_ns();
      times.push_back((now - before) * nanosecond / (2 * stretch));
      before = now;
      if (now - start > (times.size() < enough ? 500'000'000u : 20'000'000u)) return over.store(true, mo::relaxed);
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  return median(times);
}

fence_times heavy_fence() {
  constexpr picoseconds work = 4 * millisecond;
  constexpr int rounds = 7;
  if (os::available_cpus() < 2 || !os::heavy_fence_available()) return {0, 0};
  std::vector<picoseconds> calls, hits;
  for (int i = 0; i < rounds; ++i) {
    atomic<int> stage{0};
    std::int64_t more = 0;
    // [F1] the other's stores to stage: release -> [F2] the caller's loads: acquire
    std::thread other([&] {
      double const pace = spin_pace();
      stage.store(1, mo::release);  // [F1]
      std::uint64_t const start = os::now_ns();
      spin_for(work);
      more = static_cast<std::int64_t>((os::now_ns() - start) * nanosecond) -
             static_cast<std::int64_t>(pace * static_cast<double>(work));
      stage.store(2, mo::release);  // [F1]
    });
    while (stage.load(mo::acquire) == 0) cpu_pause();  // [F2]
    std::uint64_t fences = 0;
    for (; stage.load(mo::acquire) == 1; ++fences) {  // [F2]
      std::uint64_t const start = os::now_ns();
      os::heavy_fence();
      calls.push_back((os::now_ns() - start) * nanosecond);
      spin_for(20 * microsecond);
    }
    other.join();
    hits.push_back(fences == 0 || more < 0 ? 0 : static_cast<picoseconds>(more) / fences);
  }
  return {median(calls), median(hits)};
}

picoseconds theft(int rounds) {
  constexpr std::size_t tasks = 1024, settled = 8;
  constexpr picoseconds work = 400 * nanosecond;  // the scheduler spaces the thefts of tiny tasks
  if (os::available_cpus() < 2) return 0;
  std::vector<std::uint64_t> times;
  tbb::task_arena arena(2);
  for (int round = 0; round < rounds; ++round) {
    std::array<std::uint64_t, tasks> begun{};
    atomic<std::size_t> count{0};
    arena.execute([&] {
      int const spawner = tbb::this_task_arena::current_thread_index();
      tbb::task_group group;
      for (std::size_t i = 0; i < tasks; ++i) {
        group.run([&begun, &count, spawner] {
          if (tbb::this_task_arena::current_thread_index() == spawner) return;
          begun[count.load(mo::relaxed)] = os::ticks();
          count.fetch_add(1, mo::relaxed);
          spin_for(work);
        });
      }
      for (int i = 0; i < 400 && count.load(mo::relaxed) < tasks; ++i) spin_for(5 * microsecond);
      group.wait();
    });
    for (std::size_t i = settled + 1; i < count.load(mo::relaxed); ++i) times.push_back(begun[i] - begun[i - 1]);
  }
  double const ps = 1000 * static_cast<double>(median(times)) / os::ticks_per_ns();
  return difference(static_cast<picoseconds>(ps), static_cast<picoseconds>(spin_pace() * static_cast<double>(work)));
}

namespace {

// A batch of tasks that do nothing, in one group, and when the last of them began. Their closures hold what the graphs'
// tasks do.
class empty_batch {
 public:
  static constexpr unsigned tasks = 64;

  // The calling thread spawns them and goes on; nanoseconds per task are known when one of them, the last, has begun.
  void spawn(tbb::task_group& group) {
    start_ = os::ticks();
    task_state const same{};
    for (unsigned i = 0; i < tasks; ++i) {
      group.run([this, same, i, &group] {
        // The newest is taken first.
        if (i == 0) time_.store(os::ticks() - start_, mo::release);  // [B1]
        static_cast<void>(same), static_cast<void>(group);
      });
    }
  }
  bool over() const noexcept { return time_.load(mo::acquire) != 0; }  // [B2]
  picoseconds per_task() const noexcept {
    return static_cast<picoseconds>(1000 * static_cast<double>(time_.load(mo::relaxed)) / os::ticks_per_ns()) / tasks;
  }

 private:
  std::uint64_t start_ = 0;
  // [B1] the last task's store: release -> [B2] the waiting owner's load: acquire
  atomic<std::uint64_t> time_{0};
};

}  // namespace

picoseconds task_away() {
  constexpr int rounds = 101;
  if (os::available_cpus() < 2) return 0;
  std::vector<picoseconds> here, away;
  tbb::task_arena alone(1), arena(2);
  alone.execute([&] {
    for (int i = 0; i < rounds; ++i) {
      alignas(256) tbb::task_group group;
      empty_batch batch;
      batch.spawn(group);
      group.wait();
      here.push_back(batch.per_task());
    }
  });
  arena.execute([&] {
    int const owner = tbb::this_task_arena::current_thread_index();
    for (int i = 0; i < rounds; ++i) {
      alignas(256) tbb::task_group group;
      alignas(256) empty_batch batch;
      alignas(256) atomic<bool> stolen{false};
      group.run([&] {
        if (tbb::this_task_arena::current_thread_index() == owner) return;
        stolen.store(true, mo::relaxed);
        batch.spawn(group);
      });
      for (int wait = 0; wait < 50 && !stolen.load(mo::relaxed); ++wait) spin_for(200 * nanosecond);
      // The owner takes none of them.
      while (stolen.load(mo::relaxed) && !batch.over()) spin_for(500 * nanosecond);
      group.wait();
      if (stolen.load(mo::relaxed)) away.push_back(batch.per_task());
    }
  });
  return away.empty() ? 0 : difference(median(away), median(here));
}

}  // namespace ashlar::sim
