// SPDX-License-Identifier: Apache-2.0
// How an algorithm empties a container in parts, at the same time. A container befriends clear_access and offers
//   template <typename Run> void clear_parts(Run const& run);
// which is clear() with the elements destroyed by calls of
//   run(range, body): body(part) for disjoint parts of a splittable range, and
//   run(n, grain, body): body(first, last) for disjoint parts of [0, n) of about `grain`,
// each of which returns when all its parts are done. Containers don't see the scheduler; `run` does.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace containers {

struct clear_access {
  template <typename Container, typename Run>
  static auto clear(Container& c, Run const& run) -> decltype(c.clear_parts(run)) {
    c.clear_parts(run);
  }
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
