// SPDX-License-Identifier: Apache-2.0
#include <ashlar/flow/engine/body.h>

#include <cstdio>

namespace ashlar::inline v1::flow {

void body_region::begin(node_base const& n, void const* code) noexcept {
  char const* const own = n.name().text();
  char const* const graphs = n.core().name().text();
  if (own == nullptr) return obs::begin_code_region(code);
  if (graphs == nullptr) return obs::begin_trace_region(own);
  char both[201];
  std::snprintf(both, sizeof both, "%s / %s", graphs, own);
  obs::begin_trace_region(both);
}

}  // namespace ashlar::inline v1::flow
