// SPDX-License-Identifier: Apache-2.0
#include "real/calibrate.h"

#include "os/clock.h"
#include "os/futex.h"
#include "os/thread.h"
#include "os/topology.h"
#include "program/record.h"
#include "real/median.h"
#include "real/real_run.h"
#include "real/sharing.h"

#include <ashlar/base/atomic.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace ashlar::sim {

namespace {

constexpr std::int64_t batch = 64;

enum class child_of : std::int64_t { nothing, one_child, work };

// The root spawns a batch of children at a time and waits for them. A child does nothing, or spawns one that does
// nothing and waits for it, or works.
class probe_program final : public program {
 public:
  probe_program(std::int64_t batches, child_of kind, picoseconds work) : batches_(batches), kind_(kind), work_(work) {}

  task_state root() const override {
    task_state s;
    s.kind = 1;
    return s;
  }
  // Root: a: batches done, b: children of this one. Child: a: its kind.
  step next(task_state& self, task_state& child) const override {
    child = {};
    if (self.kind == 1) {
      if (self.a == batches_) return {step_kind::end};
      if (self.b++ < batch) {
        child.a = static_cast<std::int64_t>(kind_);
        return {step_kind::spawn};
      }
      ++self.a;
      self.b = 0;
      return {step_kind::wait};
    }
    std::uint32_t const pc = self.pc++;
    if (is(self, child_of::work) && pc == 0) return {step_kind::work, work_};
    if (is(self, child_of::one_child) && pc < 2) return {pc == 0 ? step_kind::spawn : step_kind::wait};
    return {step_kind::end};
  }
  join_kind join_of(task_state const& t) const override {
    return t.kind == 1 || is(t, child_of::one_child) ? join_kind::blocking : join_kind::inherited;
  }
  std::string region_name(std::uint32_t) const override { return "probe"; }

 private:
  static bool is(task_state const& t, child_of kind) { return t.a == static_cast<std::int64_t>(kind); }
  std::int64_t const batches_;
  child_of const kind_;
  picoseconds const work_;
};

// Picoseconds per child of the root: the median of some runs.
class child_probe {
 public:
  child_probe(std::int64_t batches, child_of kind, picoseconds work = 0)
      : children_(static_cast<picoseconds>(batch * batches)), program_(record(probe_program(batches, kind, work))) {}

  picoseconds cost(int runs) const {
    std::vector<picoseconds> times;
    for (int i = 0; i < runs; ++i) times.push_back(run_real(program_, 1).wall / children_);
    return median(times);
  }
  picoseconds asking() const { return unfolding_time(program_) / children_; }

 private:
  picoseconds const children_;
  recorded_program const program_;
};

template <typename Function>
picoseconds time_per_call(int calls, Function f) {
  std::uint64_t const start = os::now_ns();
  for (int i = 0; i < calls; ++i) f();
  return (os::now_ns() - start) * nanosecond / static_cast<std::uint64_t>(calls);
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
      back.store(os::now_ns(), mo::release);                        // [W3]
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
  return {median(calls), median(latencies)};
}

// Interruptions included.
double average_pace() {
  constexpr picoseconds work = 5 * millisecond;
  std::uint64_t const start = os::now_ns();
  spin_for(work);
  return static_cast<double>((os::now_ns() - start) * nanosecond) / static_cast<double>(work);
}

}  // namespace

task_costs measure_task_costs(unsigned threads, picoseconds typical_work) {
  static child_probe const empty(50, child_of::nothing), nested(25, child_of::one_child);
  // The end of a long spin is mispredicted, that of a very short one isn't.
  picoseconds const work = std::min(typical_work, 2 * microsecond);
  child_probe const working(5, child_of::work, work);
  constexpr int runs = 5;
  // What the other threads do meanwhile in the run that is to be predicted: compute. Their processors need not have the
  // same pace as this one.
  atomic<bool> over{false};
  std::vector<std::thread> others;
  std::vector<double> speeds(threads);
  for (unsigned i = 1; i < threads; ++i) {
    others.emplace_back([&over, &speed = speeds[i]] {
      constexpr picoseconds piece = 10 * microsecond;
      std::uint64_t const start = os::now_ns();
      picoseconds done = 0;
      for (; !over.load(mo::relaxed); done += piece) spin_for(piece);
      speed = static_cast<double>(done) / static_cast<double>((os::now_ns() - start) * nanosecond);
    });
  }
  task_costs c;
  double const before = spin_pace();
  double const average = average_pace();
  c.task = empty.cost(runs);
  c.wait = difference(nested.cost(runs), 2 * c.task);
  c.step = difference(working.cost(runs), c.task);
  c.peak = (before + spin_pace()) / 2;
  speeds[0] = 2 / (average + average_pace());
  c.step = difference(c.step, static_cast<picoseconds>(c.peak * static_cast<double>(work)));
  over.store(true, mo::relaxed);
  for (std::thread& t : others) t.join();
  c.pace = threads / std::accumulate(speeds.begin(), speeds.end(), 0.0);
  if (threads > 1) {
    c.line = line_transfer(10000);
    c.away = task_away();
    c.theft = theft(2);
  }
  return c;
}

void set_task_costs(machine& m, task_costs const& c) {
  m.costs.spawn = c.task / 2;
  m.costs.pop = c.task - m.costs.spawn;
  m.costs.wait = m.costs.resume = c.wait;
  m.costs.task_away = c.away;
  if (c.line == 0) return;
  m.cluster_line = m.socket_line = m.remote_line = c.line;
  m.line_busy = c.line / 3;
  // Such a thief finds the deque's line where it has left it, and moves the task's.
  picoseconds const stolen = difference(c.theft, m.costs.choose + m.costs.probe);
  m.costs.steal = difference(stolen, c.line);
  m.line_ahead = difference(c.line, stolen);
  m.costs.steal_hold = c.theft / 2;
}

machine_file calibrate(std::string const& name) {
  machine_file f;
  machine& m = f.described;
  m.name = name;
  m.cores = m.cluster_size = m.socket_size = os::available_cpus();
  auto& c = m.costs;
  // The spinning loop's multiplication takes three cycles on the cores of today.
  c.cycle = spin_turn() / 3000;
  // Without those for asking what to do next: a program of one's own doesn't ask.
  child_probe const empty(200, child_of::nothing), nested(200, child_of::one_child);
  c.choose = 10 * c.cycle;
  c.scan_entry = c.probe = 8 * c.cycle;
  task_costs t;
  t.task = difference(empty.cost(21), empty.asking());
  t.wait = difference(difference(nested.cost(21), nested.asking()), 2 * t.task);
  t.line = line_transfer();
  t.theft = theft(21);
  t.away = task_away();
  set_task_costs(m, t);
  fence_times const fence = heavy_fence();
  c.fence = fence.call;
  c.fence_hit = fence.hit;
  c.pause = time_per_call(10000, [] {
    for (int i = 0; i < 4; ++i) cpu_pause();
  });
  c.back_off = c.pause / 4;
  c.yield = time_per_call(10000, [] { os::yield(); });
  wake_times const w = wake();
  c.wake_call = w.call;
  c.wake_latency = w.latency;
  m.power = {5000, 3500, 500};
  f.source = {
      "Measured by `ashlar-sim calibrate`: cycle, spawn + pop, wait, a line's transfer, a theft after a theft, fence, "
      "fence_hit, "
      "pause, yield, wake_call and wake_latency.",
      "Not measured: how spawn + pop divides (halves), choose, scan_entry and probe (8 to 10 cycles), steal_hold (half "
      "a theft), "
      "line_busy (a third of a transfer), resume (as wait), power (a guess).",
      fmt::format("{} processors, taken as one cluster.", m.cores)};
  return f;
}

}  // namespace ashlar::sim
