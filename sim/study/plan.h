// SPDX-License-Identifier: Apache-2.0
// The study of both papers: which cells are simulated. The machines were fixed before the first cell was looked at;
// what has been changed in graphs and seeds since then stands in docs/study/README.md.
#pragma once

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

enum class study_section { iiswc2008, jsa2015, beyond };

// The cells of a section; `quick`: one seed, and in `beyond` up to 64 workers.
std::vector<study_cell> plan(study_section section, bool quick);

// The cell of a section with these coordinates, without a seed; and one of its runs.
study_cell cell_of(study_section section, std::string const& program, std::string const& policy, unsigned workers);
study_cell with_seed(study_cell c, unsigned seed);

extern std::vector<std::string> const iiswc_programs, static_programs, jsa_programs, beyond_programs, beyond_policies;
extern std::vector<unsigned> const jsa_workers, beyond_workers;
inline constexpr unsigned study_seeds = 10;  // of a paper's cell
inline constexpr unsigned beyond_seeds = 3;  // with 1024 cores one run takes up to a minute

}  // namespace ashlar::sim
