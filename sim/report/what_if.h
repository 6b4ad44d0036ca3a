// SPDX-License-Identifier: Apache-2.0
// What would become of the run if something were different: each question is a text,
//
//   grain x 4          up to four tasks that follow each other, or lie below one, are one task
//   NAME x 2           all regions whose name holds NAME are twice as fast (x 0.5: half as fast)
//   16 threads         that many threads
//
// or several of these with " and " between them. "*" is the same as "x".
#pragma once

#include "machine/machine.h"
#include "report/program_levels.h"
#include "trace/task_graph.h"

#include <memory>
#include <string>
#include <vector>

namespace ashlar::sim {

struct what_if_settings {
  std::vector<std::string> questions;
  machine on;
  part_costs costs;  // of the parts of a run that are known in sum only
  picoseconds median_grain = 0;
  unsigned recorded_threads = 1;
  unsigned most_threads = 1;
};

struct what_if_answers {
  struct row {
    std::string question;
    picoseconds work = 0, span = 0;
    std::vector<picoseconds> times;  // on `threads`
  };
  std::vector<unsigned> threads;
  std::vector<row> rows;  // the first is the program as it is; none if nothing was asked
};

// The program as it is and as the questions have it.
class what_if_questions {
 public:
  // Throws bad_input for a question that can't be understood or a region that isn't there.
  what_if_questions(task_graph const& g, what_if_settings const& how);

  // Simulates all with as many threads as were recorded, with some others, and with those that a question names: with
  // parts of at least that size (program_levels.h), so that the answers can be compared with what was simulated with
  // such parts.
  what_if_answers answer(picoseconds part);

 private:
  struct variant {
    std::unique_ptr<program_levels> program;
    unsigned threads;  // 0: the question doesn't say
  };
  variant make_variant(std::string const& question, task_graph g);
  std::vector<unsigned> columns() const;

  what_if_settings const how_;
  std::vector<variant> variants_;
  what_if_answers all_;
};

}  // namespace ashlar::sim
