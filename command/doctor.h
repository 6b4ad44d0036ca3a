// SPDX-License-Identifier: Apache-2.0
// What may be wrong with this machine or with how a program finds its libtbb.
#pragma once

#include <string>
#include <vector>

namespace ashlar::command {

// `program` with arguments, or nothing. 1 if something is wrong.
int examine(std::vector<std::string> const& program);

}  // namespace ashlar::command
