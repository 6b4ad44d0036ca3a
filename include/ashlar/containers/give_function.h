// SPDX-License-Identifier: Apache-2.0
// What a container that is assigned by a move does with the source's hash or comparison.
#pragma once

#include <ashlar/base/config.h>

#include <type_traits>
#include <utility>

namespace ashlar {
inline namespace v1 {
namespace containers {

/// Assigns a copy, so that the source's function still works: the source is empty then, but a program may fill the
/// source again. Moves the function where it cannot be copied, or where its copy throws.
template <typename F>
void give_function(F& to, F& from) noexcept(std::is_nothrow_move_assignable_v<F>) {
  if constexpr (std::is_nothrow_copy_assignable_v<F>) {
    to = from;
  } else {
    if constexpr (std::is_copy_assignable_v<F>) {
      ASHLAR_TRY {
        to = static_cast<F const&>(from);
        return;
      }
      ASHLAR_CATCH_ALL {}
    }
    to = std::move(from);
  }
}

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
