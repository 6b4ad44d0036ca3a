// SPDX-License-Identifier: Apache-2.0
#include "report/scalability.h"

#include "program/format.h"
#include "report/program_levels.h"
#include "report/progress.h"
#include "trace/graph_builder.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace ashlar::sim {

namespace {

constexpr double overhead_wanted = 0.05;     // of scheduling, at the recommended grain
constexpr std::size_t most_tasks = 120'000;  // of the graph in memory
constexpr double worth_it = 1.1;             // what each doubling of the threads has to gain to be recommended

// What a theft costs the path that it is on: a worker is woken, and fetches the task.
picoseconds burden_of(machine const& m) {
  return m.costs.wake_latency + m.costs.choose + m.costs.probe + m.costs.steal + m.socket_line;
}

// What a task costs beside its work, on the thread that spawned it.
picoseconds task_cost(machine const& m) { return m.costs.spawn + m.costs.pop; }

void describe_recording(scalability& s, trace const& t, task_graph const& g) {
  s.trace_file = t.file;
  s.program = t.program;
  s.complete = t.complete;
  s.recorded_threads = std::max(1u, g.threads);
  s.cut_off = t.cut_off;
  s.tasks = g.ran;
  s.events = g.events;
  s.largest_part = g.largest_part;
  s.steals = g.steals;
  s.parks = g.parks;
  s.buried_waits = g.buried_waits;
  s.buried_time = g.buried_time;
  s.migrated = g.migrated;
  s.recorded_time = g.recorded_time;
  s.preempted = g.preempted;
  s.blocked = g.blocked;
  s.recorder_time = g.recorder_time;
}

void describe_grains(scalability& s, task_graph const& g, machine const& m) {
  std::vector<picoseconds> grains;
  for (std::size_t i = 1; i < g.tasks.size(); ++i) {
    if (g.tasks[i].ran) grains.push_back(g.tasks[i].work);
  }
  s.smallest_grain = static_cast<picoseconds>(static_cast<double>(task_cost(m)) / overhead_wanted);
  if (!g.folded.empty()) {
    s.median_grain = g.grains.median();
    s.small_tasks = g.grains.below(s.smallest_grain);
    return;
  }
  if (grains.empty()) return;
  auto const middle = grains.begin() + static_cast<std::ptrdiff_t>(grains.size() / 2);
  std::nth_element(grains.begin(), middle, grains.end());
  s.median_grain = *middle;
  s.small_tasks = static_cast<std::uint64_t>(
      std::count_if(grains.begin(), grains.end(), [&](picoseconds w) { return w < s.smallest_grain; }));
}

void describe_regions(scalability& s, task_graph const& g) {
  for (std::size_t i = 0; i < g.regions.size(); ++i) {
    s.regions.push_back({g.regions[i], s.plain.work_by_region[i], s.plain.path_by_region[i], 0});
  }
  for (std::size_t i = 1; i < g.tasks.size(); ++i) {
    if (g.tasks[i].ran) ++s.regions[g.tasks[i].region].tasks;
  }
  for (folded_part const& p : g.folded) {
    for (auto const& r : p.regions) s.regions[r.region].tasks += r.tasks;
  }
  std::stable_sort(s.regions.begin(), s.regions.end(), [](auto const& a, auto const& b) { return a.path > b.path; });
  std::erase_if(s.regions, [](auto const& r) { return r.work == 0 && r.tasks == 0; });
}

constexpr std::pair<char const*, wait_rule> compared_policies[] = {
    {"by_size", wait_rule::any},       {"distance", wait_rule::any},        {"random", wait_rule::any},
    {"pseudo_random", wait_rule::any}, {"occupancy", wait_rule::any},       {"by_size+half", wait_rule::any},
    {"by_size", wait_rule::leapfrog},  {"by_size", wait_rule::continuation}};

// The fewest threads beyond which no number gains `worth_it` for each doubling.
unsigned recommended(std::vector<curve_point> const& curve) {
  auto const worth = [](curve_point const& from, curve_point const& to) {
    return to.speedup >= from.speedup * std::pow(worth_it, std::log2(static_cast<double>(to.threads) / from.threads));
  };
  for (auto p = curve.begin();; ++p) {
    if (std::none_of(p + 1, curve.end(), [&](curve_point const& q) { return worth(*p, q); })) return p->threads;
  }
}

// All of the report's simulations, side by side on our own scheduler.
class simulations {
 public:
  simulations(scalability& s, program_levels& p, report_settings const& how) : s_(s), programs_(p), how_(how) {}

  void run() {
    for (unsigned n = 1; n < how_.most_threads; n *= 2) add_point(n);
    add_point(how_.most_threads);
    add({}, wait_rule::any, s_.recorded_threads, [this](result const& r) { s_.predicted_time = r.makespan; });
    for (unsigned n : {4u, 16u, 64u, 256u}) {
      if (n <= how_.most_threads) s_.policy_threads.push_back(n);
    }
    for (auto const& [victim, wait] : compared_policies) add_policy(victim, wait);
    execute();
    s_.recommended_threads = recommended(s_.curve);
  }

 private:
  struct job {
    options how;
    std::function<void(result const&)> take;
    program_levels::outcome made{};
  };

  void add(victim_choice victim, wait_rule wait, unsigned threads, std::function<void(result const&)> take) {
    options o;
    o.workers = threads;
    o.victim = victim;
    o.wait = wait;
    o.fast_forward = true;
    jobs_.push_back({o, std::move(take), {}});
  }

  double speedup(result const& r) const { return scalability::ratio(s_.plain.work, r.makespan); }

  void add_point(unsigned n) {
    s_.curve.push_back({n, static_cast<double>(n), s_.parallelism(), s_.burdened_parallelism(), {}, 0});
    add({}, wait_rule::any, n, [this, i = s_.curve.size() - 1](result const& r) {
      s_.curve[i].simulated = r;
      s_.curve[i].speedup = speedup(r);
    });
  }

  void add_policy(char const* victim, wait_rule wait) {
    std::size_t const row = s_.policies.size(), count = s_.policy_threads.size();
    s_.policies.push_back({victim, name_of(wait), std::vector<double>(count)});
    for (std::size_t i = 0; i < count; ++i) {
      add(parse_victim(victim), wait, s_.policy_threads[i],
          [this, row, i](result const& r) { s_.policies[row].speedups[i] = speedup(r); });
    }
  }

  void execute() {
    // The long ones first.
    std::stable_sort(jobs_.begin(), jobs_.end(),
                     [](job const& a, job const& b) { return a.how.workers > b.how.workers; });
    std::mutex one;
    std::optional<progress_bar> bar;
    if (how_.progress) bar.emplace(jobs_.size(), "simulations");
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, jobs_.size(), 1),
        [&](auto const& range) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) {
            std::size_t from = 0;
            {
              std::lock_guard const guard(one);
              from = level_;
            }
            auto made = programs_.simulate(how_.on, jobs_[i].how, from);
            std::lock_guard const guard(one);
            level_ = std::max(level_, made.level);
            jobs_[i].made = std::move(made);
            if (bar) bar->step(fmt::format("{} threads", jobs_[i].how.workers));
          }
        },
        tbb::simple_partitioner());
    // All on one level, or they can't be compared.
    for (job& j : jobs_) {
      if (j.made.level != level_) j.made = programs_.simulate(how_.on, j.how, level_);
      j.take(j.made.simulated);
    }
    s_.simulated_part = programs_.part(level_);
  }

  scalability& s_;
  program_levels& programs_;
  report_settings const& how_;
  std::vector<job> jobs_;
  std::size_t level_ = 0;  // the coarsest that was needed
};

}  // namespace

scalability analyse_scalability(trace const& t, report_settings const& how) {
  scalability s;
  auto const run = std::make_shared<run_picture>(t);
  task_graph g = build_graph(t, {.most_tasks = most_tasks, .watcher = run.get()});
  s.run = run;
  s.names = g.regions;
  describe_recording(s, t, g);
  s.machine = (how.assumed ? "assumed: " : "") + how.on.name;
  s.burden = burden_of(how.on);
  s.plain = analyse_path(g);
  s.burdened = analyse_path(g, s.burden);
  describe_grains(s, g, how.on);
  describe_regions(s, g);
  s.complaints = g.complaints;
  if (s.plain.work == 0) throw bad_input(t.file + ": the trace holds no work");
  part_costs const costs{task_cost(how.on), burden_of(how.on)};
  what_if_questions questions(g, {how.what_if, how.on, costs, s.median_grain, s.recorded_threads, how.most_threads});
  program_levels programs(std::move(g), costs);
  simulations(s, programs, how).run();
  s.what_if = questions.answer(s.simulated_part);
  return s;
}

curve_point const& scalability::recommended() const {
  return *std::find_if(curve.begin(), curve.end(),
                       [&](curve_point const& p) { return p.threads == recommended_threads; });
}

curve_point const& scalability::best() const {
  return *std::max_element(curve.begin(), curve.end(),
                           [](auto const& a, auto const& b) { return a.speedup < b.speedup; });
}

std::vector<std::string> left_out() {
  return {
      "memory bandwidth and cache misses that more threads share or cause (work inflation): work is taken to cost the "
      "same "
      "on any number of threads",
      "simultaneous multithreading: each thread is a whole core",
      "the clock frequency, which falls when more cores are busy",
      "locks, input and output: a task that blocks is taken to compute",
      "loops that split according to the number of threads (auto_partitioner and others): their parts are those of the "
      "recorded run, so large numbers of threads see too few; simple_partitioner's are all there",
      "other programs on the machine, and the operating system's scheduling",
  };
}

std::vector<std::string> warnings(scalability const& s) {
  std::vector<std::string> result;
  if (!s.complete) result.push_back("The recording did not end with the program: it crashed, or the file was full.");
  if (s.cut_off != 0) {
    result.push_back(fmt::format("The file is cut off after {} bytes: it is read as far as it goes.", s.cut_off));
  }
  if (s.largest_part != 0) {
    result.push_back(fmt::format(
        "Of {} events not all tasks are kept one by one: what takes less than {} is known in sum only, so the span may "
        "be off by twice that.",
        s.events, time_text(s.largest_part)));
  }
  if (s.simulated_part > s.largest_part) {
    result.push_back(
        fmt::format("The simulations would take too long task by task: what takes less than {} is one part in them.",
                    time_text(s.simulated_part)));
  }
  double const disturbed = scalability::ratio(s.recorder_time, s.plain.work);
  if (s.median_grain < microsecond && s.tasks != 0) {
    result.push_back(
        fmt::format("The median task takes {}, less than 1 us: the recorder's own {} per program, {:.1f} % of "
                    "the work, may disturb the figures by more than the 10 % of longer tasks.",
                    time_text(s.median_grain), time_text(s.recorder_time), 100 * disturbed));
  }
  if (s.preempted_share() > much_preempted) {
    result.push_back(
        fmt::format("The threads were without a processor for {:.1f} % of the time; that is clipped, but "
                    "caches and waits suffered.",
                    100 * s.preempted_share()));
  }
  if (s.migrated != 0) {
    result.push_back(
        fmt::format("{} tasks were suspended and went on elsewhere; their times are incomplete.", s.migrated));
  }
  result.insert(result.end(), s.complaints.begin(), s.complaints.end());
  return result;
}

}  // namespace ashlar::sim
