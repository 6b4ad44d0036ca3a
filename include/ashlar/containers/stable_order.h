// SPDX-License-Identifier: Apache-2.0
// tbb::stable_order: asks a priority queue to keep the order of coming among equal elements. An extension.
#pragma once

#include <ashlar/base/config.h>

#include <type_traits>
#include <utility>

namespace tbb {

/// As the Compare of a concurrent_priority_queue or of a flow::priority_queue_node: compares as Compare does, and of
/// elements that compare equal the one that came first leaves first. Elements of one thread come in the order of its
/// pushes; those of several threads in the order in which the pushes took effect. Elements given by a range or a list
/// come in its order, those of a copied queue in the order of the original. A message that a node had to take back has
/// kept its turn.
///
/// Each element takes 8 bytes more, and a pop compares equal elements twice: a push and a pop take 1.0 to 1.4 times as
/// long where most keys differ, and up to 2.5 times where there are eight keys.
template <typename Compare>
struct stable_order {
  stable_order() = default;
  stable_order(Compare const& c) : compare(c) {}  // NOLINT: implicit
  template <typename T, typename U>
  bool operator()(T const& a, U const& b) const {
    return compare(a, b);
  }
  template <typename T, typename U>
  bool operator()(T const& a, U const& b) {
    return compare(a, b);
  }

  Compare compare{};
};

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace containers {

template <typename Compare>
inline constexpr bool is_stable = false;
template <typename Compare>
inline constexpr bool is_stable<tbb::stable_order<Compare>> = true;

/// Whether `a` leaves after `b`, by the elements and by the numbers of their coming.
template <typename Compare, typename A, typename B, typename Number>
ASHLAR_ALWAYS_INLINE bool leaves_after(Compare& less, A const& a, Number came_a, B const& b, Number came_b) {
  // Branches that nobody can predict cost more than a comparison of small values.
  if constexpr (std::is_trivially_copyable_v<A> && sizeof(A) <= 16) {
    bool const below = less(a, b);
    bool const above = less(b, a);
    return below | (!above & (came_a > came_b));
  } else {
    return less(a, b) || (came_a > came_b && !less(b, a));
  }
}

}  // namespace containers
}  // namespace v1
}  // namespace ashlar
