// SPDX-License-Identifier: Apache-2.0
#include "study/results.h"

#include "machine/machine_file.h"
#include "program/bad_input.h"
#include "report/progress.h"
#include "study/fingerprint.h"

#include <fmt/format.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace ashlar::sim {

namespace {

std::string line_of(std::string const& key, study_outcome const& o, std::uint64_t fingerprint) {
  return fmt::format("{}\t{}\t{:016x}\t.\n", key, text_of(o), fingerprint);
}

struct stored_cell {
  std::string key;
  study_outcome outcome;
  std::uint64_t fingerprint = 0;
};

bool parse_line(std::string const& line, stored_cell& c) {
  std::istringstream in(line);
  std::string end;
  std::getline(in, c.key, '\t');
  study_outcome& o = c.outcome;
  in >> o.milliseconds >> o.joules >> o.scheduling >> o.parked >> o.steals >> o.failed >> o.conflicts >> o.buried >>
      o.events >> o.hash >> std::hex >> c.fingerprint >> end;
  return in && end == ".";
}

// Collects the cells as they end, in whatever order.
class collector {
 public:
  collector(std::string const& file, study_results& results, std::size_t total)
      : file_(file),
        out_(file, std::ios::app),
        results_(results),
        bar_(total, "cells", progress_bar::elsewhere::tenths) {
    if (!out_) reject();
  }
  void add(study_cell const& c, study_outcome const& o, std::uint64_t fingerprint) {
    std::lock_guard const guard(lock_);
    results_[c.key()] = o;
    out_ << line_of(c.key(), o, fingerprint) << std::flush;
    if (!out_) reject();
    bar_.step(fmt::format("{} {} P={}", c.program, c.policy, c.workers));
  }

 private:
  [[noreturn]] void reject() const { throw bad_input(fmt::format("{}: can't be written", file_)); }

  std::string const& file_;
  std::ofstream out_;
  study_results& results_;
  progress_bar bar_;
  std::mutex lock_;
};

}  // namespace

stored_results read_results(std::string const& file, std::vector<study_cell> const& cells) {
  stored_results stored;
  if (!std::filesystem::exists(file)) return stored;
  std::unordered_map<std::string, study_cell const*> wanted;
  for (study_cell const& c : cells) wanted.emplace(c.key(), &c);
  fingerprints now;
  std::string const text = read_file(file);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = text.find('\n', at);
    ++number;
    if (end == std::string::npos) {
      stored.whole = false;  // cut off while it was written: the cell is simulated again
      break;
    }
    std::string const line = text.substr(at, end + 1 - at);
    at = end + 1;
    stored_cell c;
    if (!parse_line(line, c)) throw bad_input(fmt::format("{}:{}: not a line of results", file, number));
    auto const asked = wanted.find(c.key);
    if (asked != wanted.end() && now.of(*asked->second) != c.fingerprint) {
      ++stored.stale;
      stored.whole = false;
      continue;
    }
    if (asked != wanted.end()) stored.current[c.key] = c.outcome;
    stored.kept += line;
  }
  return stored;
}

void run_study(std::vector<study_cell> const& cells, std::string const& file, stored_results& stored) {
  struct job {
    study_cell const* cell;
    std::uint64_t fingerprint;
  };
  std::vector<job> missing;
  fingerprints now;
  for (study_cell const& c : cells) {
    if (stored.current.count(c.key()) == 0) missing.push_back({&c, now.of(c)});
  }
  if (!std::exchange(stored.whole, true)) write_file(file, stored.kept);
  if (missing.empty()) return;
  // The cheap ones first: an interrupted study then lacks few cells.
  std::stable_sort(missing.begin(), missing.end(),
                   [](job const& a, job const& b) { return a.cell->workers < b.cell->workers; });
  collector done(file, stored.current, missing.size());
  tbb::task_group group;
  std::atomic<std::size_t> next{0};
  for (std::size_t i = 0; i < missing.size(); ++i) {
    group.run([&] {
      job const& j = missing[next.fetch_add(1, std::memory_order_relaxed)];
      done.add(*j.cell, run_cell(*j.cell), j.fingerprint);
    });
  }
  group.wait();
}

}  // namespace ashlar::sim
