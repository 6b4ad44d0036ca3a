// SPDX-License-Identifier: Apache-2.0
// Name of the library that a kernel is compiled against; apart from library.h so that library-independent code
// can hold one.
#pragma once

#include <string>

namespace kernels {

struct library {
  std::string name;  // "ashlar", "onetbb" or "tbb2020"
  std::string version;
};

}  // namespace kernels
