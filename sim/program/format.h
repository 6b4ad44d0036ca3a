// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include "program/program.h"

#include <string>

namespace ashlar::sim {

std::string time_text(picoseconds t);         // "1.23 ms"
std::string quoted(std::string const& text);  // as a JSON text
std::string number_text(double x);            // three digits: "0.123", "12.3", "1230"

}  // namespace ashlar::sim
