// SPDX-License-Identifier: Apache-2.0
// What a tbb::runtime_loader does that may not go on.
#include <ashlar/base/loader_failure.h>

#include <cstdio>
#include <cstdlib>

namespace ashlar {
inline namespace v1 {

void loader_failure(char const* why) noexcept {
  std::fprintf(stderr, "tbb::runtime_loader: %s\n", why);
  std::abort();
}

}  // namespace v1
}  // namespace ashlar
