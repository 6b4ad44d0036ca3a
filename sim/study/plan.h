// SPDX-License-Identifier: Apache-2.0
// The study of both papers: which cells are simulated. The graphs' sizes and the machines were fixed before the first cell
// was looked at.
#pragma once

#include "engine/simulate.h"

#include <map>
#include <string>
#include <vector>

namespace ashlar::sim {

struct study_cell {
  std::string program;  // the name in the tables
  std::string graph;
  std::string machine;
  std::string policy;
  std::string wait = "any";
  std::string idle = "default";
  unsigned workers = 1;
  unsigned seed = 1;

  // Names the cell in the file of results; without tabs and line ends.
  std::string key() const;
};

// What is kept of a cell's result.
struct study_outcome {
  double milliseconds = 0;
  double joules = 0;
  double scheduling = 0;  // scheduling, stealing and failing time over the time of the work
  std::uint64_t steals = 0, failed = 0, conflicts = 0, buried = 0, events = 0, hash = 0;
  double parked = 0;      // share of all workers' time
};
using study_results = std::map<std::string, study_outcome>;

enum class study_section { iiswc2008, jsa2015, beyond };

// The cells of a section; `quick`: one seed, and in `beyond` up to 64 workers.
std::vector<study_cell> plan(study_section section, bool quick);

// The cell of a section with these coordinates, without a seed; and one of its runs.
study_cell with_seed(study_cell c, unsigned seed);
study_cell cell_of(study_section section, std::string const& program, std::string const& policy, unsigned workers);

extern std::vector<std::string> const iiswc_programs, jsa_programs, beyond_programs, beyond_policies;
extern std::vector<unsigned> const jsa_workers, beyond_workers;
inline constexpr unsigned study_seeds = 5;

study_outcome run_cell(study_cell const& c);

// Runs what `results` lacks, in parallel on our own scheduler, and appends each to the file as it is done (an interrupted
// study goes on there); a progress bar on stderr. Throws bad_input if the file can't be read or written.
void run_study(std::vector<study_cell> const& cells, std::string const& file, study_results& results);

// Reads what run_study has written; an incomplete last line is dropped. Throws bad_input, FILE:LINE, for anything else.
study_results read_results(std::string const& file);

// The tables as Markdown, the papers' numbers beside ours, with counts of what agrees and the list of what doesn't.
std::string iiswc_tables(study_results const& r);
std::string jsa_tables(study_results const& r);
std::string beyond_tables(study_results const& r);

}  // namespace ashlar::sim
