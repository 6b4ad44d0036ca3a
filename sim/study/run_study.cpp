// SPDX-License-Identifier: Apache-2.0
#include "graphs/graph.h"
#include "machine/machine_file.h"
#include "program/bad_input.h"
#include "study/plan.h"

#include <fmt/format.h>
#include <tbb/task_group.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>

namespace ashlar::sim {

namespace {

std::string line_of(std::string const& key, study_outcome const& o) {
  return fmt::format("{}\t{:.9g}\t{:.9g}\t{:.9g}\t{:.9g}\t{}\t{}\t{}\t{}\t{}\t{}\t.\n", key, o.milliseconds, o.joules,
                     o.scheduling, o.parked, o.steals, o.failed, o.conflicts, o.buried, o.events, o.hash);
}

bool parse_line(std::string const& line, std::string& key, study_outcome& o) {
  std::istringstream in(line);
  std::string end;
  std::getline(in, key, '\t');
  in >> o.milliseconds >> o.joules >> o.scheduling >> o.parked >> o.steals >> o.failed >> o.conflicts >> o.buried >>
      o.events >> o.hash >> end;
  return in && end == ".";
}

// Collects the cells as they end, in whatever order.
class collector {
 public:
  collector(std::string const& file, study_results& results, std::size_t total)
      : file_(file), out_(file, std::ios::app), results_(results), total_(total), bar_(isatty(2) != 0) {
    if (!out_) throw bad_input(fmt::format("{}: can't be written", file));
  }
  void add(study_cell const& c, study_outcome const& o) {
    std::lock_guard guard(lock_);
    results_[c.key()] = o;
    out_ << line_of(c.key(), o) << std::flush;
    if (!out_) failed_ = true;
    ++done_;
    show(c);
  }
  void finish() const {
    if (bar_) std::fputc('\n', stderr);
    if (failed_) throw bad_input(fmt::format("{}: can't be written", file_));
  }

 private:
  void show(study_cell const& c) const {
    constexpr std::size_t width = 40;
    std::size_t const filled = done_ * width / total_;
    if (bar_) {
      fmt::print(stderr, "\r[{:#<{}}{: <{}}] {}/{} {} {} P={}\x1b[K", "", filled, "", width - filled, done_, total_, c.program,
                 c.policy, c.workers);
    } else if (done_ * 10 / total_ != (done_ - 1) * 10 / total_) {
      fmt::print(stderr, "{}/{} cells\n", done_, total_);
    }
    std::fflush(stderr);
  }

  std::string const& file_;
  std::ofstream out_;
  study_results& results_;
  std::size_t const total_;
  bool const bar_;
  std::mutex lock_;
  std::size_t done_ = 0;
  bool failed_ = false;
};

}  // namespace

study_outcome run_cell(study_cell const& c) {
  machine const m = load_machine(c.machine).described;
  options o;
  o.workers = c.workers;
  o.victim = parse_victim(c.policy);
  o.wait = parse_wait(c.wait);
  o.idle = parse_idle(c.idle, m.protocol);
  o.seed = c.seed;
  result const r = simulate(*make_graph(c.graph), m, o);
  double const work = static_cast<double>(r[activity::work]);
  double const all = static_cast<double>(r.makespan) * r.workers;
  study_outcome out;
  out.milliseconds = static_cast<double>(r.makespan) / millisecond;
  out.joules = r.energy(m);
  out.scheduling = (all - work - static_cast<double>(r[activity::parked])) / work;
  out.parked = static_cast<double>(r[activity::parked]) / all;
  out.steals = r.steals;
  out.failed = r.failed_steals + r.conflicts;
  out.conflicts = r.conflicts;
  out.buried = r.buried_waits;
  out.events = r.events;
  out.hash = r.hash;
  return out;
}

study_results read_results(std::string const& file) {
  study_results results;
  if (!std::filesystem::exists(file)) return results;
  std::string const text = read_file(file);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = text.find('\n', at);
    ++number;
    if (end == std::string::npos) {
      // Cut off while it was written: the cell is simulated again.
      std::filesystem::resize_file(file, at);
      break;
    }
    std::string key;
    study_outcome o;
    if (!parse_line(text.substr(at, end - at), key, o)) {
      throw bad_input(fmt::format("{}:{}: not a line of results", file, number));
    }
    results[key] = o;
    at = end + 1;
  }
  return results;
}

void run_study(std::vector<study_cell> const& cells, std::string const& file, study_results& results) {
  std::vector<study_cell const*> missing;
  for (study_cell const& c : cells) {
    if (results.count(c.key()) == 0) missing.push_back(&c);
  }
  if (missing.empty()) return;
  // The cheap ones first: an interrupted study then lacks few cells.
  std::stable_sort(missing.begin(), missing.end(), [](study_cell const* a, study_cell const* b) { return a->workers < b->workers; });
  collector done(file, results, missing.size());
  tbb::task_group group;
  std::atomic<std::size_t> next{0};
  for (std::size_t i = 0; i < missing.size(); ++i) {
    group.run([&] {
      study_cell const& c = *missing[next.fetch_add(1, std::memory_order_relaxed)];
      done.add(c, run_cell(c));
    });
  }
  group.wait();
  done.finish();
}

}  // namespace ashlar::sim
