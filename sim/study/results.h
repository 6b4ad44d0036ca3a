// SPDX-License-Identifier: Apache-2.0
// The cells that have been simulated, and the file that keeps them: a line per cell, appended as the cell is done, so
// that an interrupted study goes on there. Each line bears the fingerprint (study/fingerprint.h) of what it was
// computed with.
#pragma once

#include "study/outcome.h"

#include <map>
#include <string>
#include <vector>

namespace ashlar::sim {

using study_results = std::map<std::string, study_outcome>;  // by study_cell::key

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
