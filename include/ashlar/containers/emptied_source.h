// SPDX-License-Identifier: Apache-2.0
// A container whose elements are moved one by one to another one, whose allocator is not equal.
#pragma once

#include <ashlar/base/config.h>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// Leaves the container empty, however the move ends: what was moved from has no hash or order of its own any more, so
/// that a later call must not meet it.
template <typename Container>
class emptied_source {
 public:
  explicit emptied_source(Container& from) noexcept : from_(from) {}
  emptied_source(emptied_source const&) = delete;
  emptied_source& operator=(emptied_source const&) = delete;
  ~emptied_source() { from_.clear(); }

 private:
  Container& from_;
};

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
