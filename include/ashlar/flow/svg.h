// SPDX-License-Identifier: Apache-2.0
// graph::svg: a drawing of a graph for browsers.
#pragma once

#include <ashlar/flow/graph_core.h>

namespace ashlar {
inline namespace v1 {
namespace flow {

/// Writes a complete SVG document, which needs nothing else to be shown. Throws std::bad_alloc.
ASHLAR_EXPORT void write_svg(graph_core& g, std::FILE* to);

}  // namespace flow
}  // namespace v1
}  // namespace ashlar
