// SPDX-License-Identifier: Apache-2.0
// The cells that have been simulated, and the file that keeps them: a line per cell, appended as the cell is done, so
// that an interrupted study goes on there. Each line bears the fingerprint (study/fingerprint.h) of what it was
// computed with.
#pragma once

#include "study/plan.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ashlar::sim {

// What is kept of a cell's result.
struct study_outcome {
  double milliseconds = 0;
  double joules = 0;
  double scheduling = 0;  // scheduling, stealing and failing time over the time of the work
  std::uint64_t steals = 0, failed = 0, conflicts = 0, buried = 0, events = 0, hash = 0;
  double parked = 0;  // share of all workers' time
};
using study_results = std::map<std::string, study_outcome>;  // by study_cell::key

study_outcome run_cell(study_cell const& c);
// As the file has it, without a line end: the same text for the same outcome.
std::string text_of(study_outcome const& o);

struct stored_results {
  study_results current;  // of the cells asked for, those whose fingerprint holds
  std::size_t stale = 0;  // so many of them are there with another one
  std::string kept;       // the file without its stale lines and a last one that was cut off
  bool whole = true;      // nothing had to be left out
};

// Reads what run_study has written; no file: nothing. Lines of other cells are kept unread. Throws bad_input,
// FILE:LINE.
stored_results read_results(std::string const& file, std::vector<study_cell> const& cells);

// Simulates those of the cells that `stored` lacks, in parallel on our own scheduler, and adds each to it and to the
// file, from which stale lines are removed first; a progress bar on stderr. Throws bad_input if the file can't be
// written.
void run_study(std::vector<study_cell> const& cells, std::string const& file, stored_results& stored);

}  // namespace ashlar::sim
