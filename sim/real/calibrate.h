// SPDX-License-Identifier: Apache-2.0
// Measures this machine and our scheduler on it: a machine file for `run` and for predictions. Takes about two seconds; other
// work on the machine spoils it. None of its programs is one of the graphs.
#pragma once

#include "machine/machine_file.h"

namespace ashlar::sim {

machine_file calibrate(std::string const& name);

}  // namespace ashlar::sim
