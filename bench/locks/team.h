// SPDX-License-Identifier: Apache-2.0
// Threads that hammer on one object for the length of a sample: started once, pinned round robin to the allowed
// CPUs, released together for each sample and stopped by a flag. The samples are wall time per operation of the
// whole team; "fair" is the least thread's share of the operations divided by the greatest thread's.
#pragma once

#include <bench/sampler.h>

#include <atomic>
#include <ctime>
#include <thread>
#include <vector>

namespace bench {

// `step(thread, stop)` runs until stop is set and returns how many operations it did.
template <typename Step>
double run_team(options const& o, report& r, Step step) {
  struct alignas(128) member {
    std::thread thread;
    long operations = 0;
  };
  std::vector<member> team(static_cast<std::size_t>(o.threads));
  std::vector<int> const cpus = allowed_cpus();
  std::atomic<int> round{0};
  std::atomic<int> arrived{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> finished{false};
  auto const count = static_cast<int>(team.size());

  for (int i = 0; i < count; ++i) {
    team[static_cast<std::size_t>(i)].thread = std::thread([&, i] {
      // The second thread of a pair runs on another CPU than the first; later pairs change sides.
      pin_thread(0, cpus[static_cast<std::size_t>(i + i / static_cast<int>(cpus.size())) % cpus.size()]);
      for (int next = 1;; ++next) {
        arrived.fetch_add(1);
        while (round.load() < next) sched_yield();
        if (finished.load()) return;
        team[static_cast<std::size_t>(i)].operations = step(i, stop);
      }
    });
  }

  auto const nap = [](double seconds) {
    timespec t{0, static_cast<long>(seconds * 1e9)};
    nanosleep(&t, nullptr);
  };
  auto const sample = [&](double seconds, bool record) {
    while (arrived.load() < count) sched_yield();
    arrived.store(0);
    stop.store(false);
    double const c0 = cpu_now();
    double const w0 = wall_now();
    round.fetch_add(1);
    nap(seconds);
    stop.store(true);
    while (arrived.load() < count) nap(20e-6);
    double const w1 = wall_now();
    double const c1 = cpu_now();
    long total = 0, least = team[0].operations, most = 0;
    for (member const& m : team) {
      total += m.operations;
      least = m.operations < least ? m.operations : least;
      most = m.operations > most ? m.operations : most;
    }
    double const cores = (c1 - c0) / (w1 - w0);
    if (record && cores < o.cores_min) {
      r.discard();
    } else if (record) {
      r.add({(w1 - w0) * 1e9 / static_cast<double>(total), cores});
    }
    return most ? static_cast<double>(least) / static_cast<double>(most) : 0.0;
  };

  sample(o.warm_s < 0.9 ? o.warm_s : 0.9, false);
  double fair = 0;
  bystanders const others;
  for (int i = 0; i < o.samples; ++i) fair += sample(o.sample_s < 0.9 ? o.sample_s : 0.9, true);
  r.foreign(others);
  while (arrived.load() < count) sched_yield();
  finished.store(true);
  round.fetch_add(1);
  for (member& m : team) m.thread.join();
  return fair / o.samples;
}

}  // namespace bench
