// SPDX-License-Identifier: Apache-2.0
// The recorded run on the report's page: a timeline that can be zoomed, who stole from whom, the arenas, and the
// critical path in order.
#pragma once

#include "report/run_picture.h"
#include "trace/critical_path.h"

#include <string>
#include <vector>

namespace ashlar::sim {

std::string run_chapters(run_picture const& run, std::vector<std::string> const& regions);
std::string path_chapter(path_analysis const& path, std::vector<std::string> const& regions);

}  // namespace ashlar::sim
