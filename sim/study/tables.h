// SPDX-License-Identifier: Apache-2.0
// The study's tables as Markdown: the papers' numbers beside ours.
#pragma once

#include "study/results.h"

#include <string>

namespace ashlar::sim {

// A cell that has not been run shows as "nan" or "not run".
std::string iiswc_tables(study_results const& r);
std::string jsa_tables(study_results const& r);
std::string beyond_tables(study_results const& r);

}  // namespace ashlar::sim
