// SPDX-License-Identifier: Apache-2.0
#include "real/calibrate.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/thread.h"
#include "os/topology.h"
#include "real/real_run.h"

#include <ashlar/base/atomic.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace ashlar::sim {

namespace {

// The root spawns 64 children at a time and waits for them. A child of depth 0 does nothing; one of depth 1 spawns one
// child of depth 0 and waits for it.
class probe_program final : public program {
 public:
  probe_program(std::int64_t batches, std::int64_t depth) : batches_(batches), depth_(depth) {}

  task_state root() const override {
    task_state s;
    s.kind = 1;
    return s;
  }
  // Root: a: batches done, b: children of this one. Child: a: depth.
  step next(task_state& self, task_state& child) const override {
    child = {};
    if (self.kind == 1) {
      if (self.a == batches_) return {step_kind::end};
      if (self.b++ < 64) {
        child.a = depth_;
        return {step_kind::spawn};
      }
      ++self.a;
      self.b = 0;
      return {step_kind::wait};
    }
    if (self.a == 0 || self.pc == 2) return {step_kind::end};
    return {self.pc++ == 0 ? step_kind::spawn : step_kind::wait};
  }
  join_kind join_of(task_state const& t) const override {
    return t.kind == 1 || t.a != 0 ? join_kind::blocking : join_kind::inherited;
  }
  std::string region_name(std::uint32_t) const override { return "probe"; }

 private:
  std::int64_t const batches_, depth_;
};

// Picoseconds per child of the root, without those for asking the program: the median of 21 runs.
picoseconds child_cost(std::int64_t depth) {
  constexpr std::int64_t batches = 200;
  probe_program const p(batches, depth);
  std::vector<picoseconds> times;
  for (int i = 0; i < 21; ++i) times.push_back(run_real(p, 1).wall / (64 * batches));
  std::sort(times.begin(), times.end());
  picoseconds const median = times[times.size() / 2], asking = unfolding_time(p) / (64 * batches);
  return median > asking ? median - asking : 0;
}

template <typename Function>
picoseconds time_per_call(int calls, Function f) {
  std::uint64_t const start = os::now_ns();
  for (int i = 0; i < calls; ++i) f();
  return (os::now_ns() - start) * nanosecond / static_cast<std::uint64_t>(calls);
}

// One way of a cache line between two threads, or 0 with one processor. They may share a core.
picoseconds line_transfer() {
  if (os::available_cpus() < 2) return 0;
  constexpr std::uint32_t rounds = 100000;
  atomic<std::uint32_t> ball{0};
  // [L1] a player's fetch_add: release -> [L2] the other's load: acquire
  auto const play = [&](std::uint32_t mine) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      while (ball.load(mo::acquire) % 2 != mine) {  // [L2]
      }
      ball.fetch_add(1, mo::release);  // [L1]
    }
  };
  std::thread other(play, 1);
  std::uint64_t const start = os::now_ns();
  play(0);
  other.join();
  return (os::now_ns() - start) * nanosecond / (2 * rounds);
}

struct wake_times {
  picoseconds call, latency;
};

// A thread that sleeps on a word: how long the waking call takes, and when the sleeper is back. Medians of 101.
wake_times wake() {
  constexpr int rounds = 101;
  atomic<std::uint32_t> word{0};
  atomic<std::uint64_t> back{0};
  // [W1] the caller's stores to word: release -> [W2] the sleeper's load: acquire
  // [W3] the sleeper's store to back: release -> [W4] the caller's load: acquire
  std::thread sleeper([&] {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      while (word.load(mo::acquire) == i) os::futex_wait(word, i);  // [W2]
      back.store(os::now_ns(), mo::release);                       // [W3]
    }
  });
  std::vector<picoseconds> calls, latencies;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    back.store(0, mo::relaxed);
    std::uint64_t const start = os::now_ns();
    word.store(i + 1, mo::release);  // [W1]
    os::futex_wake(word, 1);
    calls.push_back((os::now_ns() - start) * nanosecond);
    std::uint64_t woken = 0;
    while ((woken = back.load(mo::acquire)) == 0) os::yield();  // [W4]
    latencies.push_back((woken - start) * nanosecond);
  }
  sleeper.join();
  std::sort(calls.begin(), calls.end());
  std::sort(latencies.begin(), latencies.end());
  return {calls[rounds / 2], latencies[rounds / 2]};
}

}  // namespace

machine_file calibrate(std::string const& name) {
  machine_file f;
  machine& m = f.described;
  m.name = name;
  m.cores = m.cluster_size = m.socket_size = os::available_cpus();
  auto& c = m.costs;
  // The spinning loop's multiplication takes three cycles on the cores of today.
  c.cycle = spin_turn() / 3000;
  picoseconds const leaf = child_cost(0), nested = child_cost(1);
  c.spawn = leaf / 2;
  c.pop = leaf - c.spawn;
  c.wait = nested > 2 * leaf ? nested - 2 * leaf : 0;
  c.resume = c.wait;
  m.cluster_line = m.socket_line = m.remote_line = line_transfer();
  m.line_busy = m.cluster_line / 3;
  c.choose = 10 * c.cycle;
  c.scan_entry = c.probe = 8 * c.cycle;
  c.steal = c.steal_hold = 2 * m.cluster_line;
  c.pause = time_per_call(10000, [] {
    for (int i = 0; i < 4; ++i) cpu_pause();
  });
  c.back_off = c.pause / 4;
  c.yield = time_per_call(10000, [] { os::yield(); });
  wake_times const w = wake();
  c.wake_call = w.call;
  c.wake_latency = w.latency;
  m.power = {5000, 3500, 500};
  f.source = {"Measured by `ashlar-sim calibrate`: cycle, spawn + pop, wait, the lines' transfer, pause, yield, wake_call and wake_latency.",
              "Not measured: how spawn + pop divides (halves), choose, scan_entry and probe (8 to 10 cycles), steal and "
              "steal_hold (two transfers), line_busy (a third of one), resume (as wait), power (a guess).",
              fmt::format("{} processors, taken as one cluster.", m.cores)};
  return f;
}

}  // namespace ashlar::sim
