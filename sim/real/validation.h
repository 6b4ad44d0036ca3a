// SPDX-License-Identifier: Apache-2.0
// Predicted against measured times. A shared machine changes its pace from second to second, so each round measures
// what tasks cost, then runs the program, and its error is that of the prediction from this round's costs.
#pragma once

#include "machine/machine.h"
#include "program/recorded_program.h"

namespace ashlar::sim {

struct validation {
  picoseconds real = 0, predicted = 0;  // medians over the rounds
  double error = 0;                     // median of the rounds' predicted / real - 1
  // What repeating the real run shows, with each round's pace taken out: the median of its odd rounds against that of
  // its even ones. No prediction is better than that.
  double repeatability = 0;
  double processors = 0;  // used, the median
  picoseconds line = 0;   // with more than one thread: a line's transfer, the median
  int rounds = 0;         // that count
  int dropped = 0;        // with less processor time than asked for
};

// `on`: this machine, calibrated; its costs of tasks are replaced by each round's. A round runs the program so often
// that it takes 20 ms. One with less than `least_cpus` of processor time over wall time is dropped and tried again, up
// to three times as often as there are rounds.
validation validate(recorded_program const& p, machine on, unsigned threads, int rounds, double least_cpus);

}  // namespace ashlar::sim
