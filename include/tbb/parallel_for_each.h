// SPDX-License-Identifier: Apache-2.0
// parallel_for_each: calls a function for each item of a sequence, and for items that the function adds.
#pragma once

#include <ashlar/algo/parallel_for_each.h>
#include <ashlar/base/interface.h>
#include <ashlar/sched/tasks/task_group_context.h>

namespace tbb {

/// parallel_for_each(first, last, body [, context])
/// parallel_for_each(container, body [, context])
///
/// Calls body(item) or, if the body takes it, body(item, feeder) once for each item, by several threads at once. With
/// forward iterators the item is *it; with input iterators, and for what feeder.add() added, it is a value that the
/// algorithm owns, passed as an rvalue if the body takes one. Where the feeder is one of another type, the items
/// convert to that. The body is called through a const reference, it is not
/// copied; it may be a pointer to a member of the items. Returns when all items, added ones included, are done.
///
/// The sequence is walked by one thread at a time; random-access sequences are cut into halves instead. An exception
/// from the body or an iterator cancels the algorithm: items that have not started are dropped, and the first exception
/// is rethrown when the others are over.
///
/// Cost: about two nanoseconds for each item of a list besides the walk; about fifteen for each added one.
template <typename It, typename Body>
ASHLAR_REQUIRES(ashlar::algo::can_walk<Body, It>)
void parallel_for_each(It first, It last, Body const& body) {
  ashlar::algo::check_for_each<It, Body>();
  ashlar::algo::for_each<ashlar::algo::item_of<Body, It>>(first, last, body);
}
template <typename It, typename Body>
ASHLAR_REQUIRES(ashlar::algo::can_walk<Body, It>)
void parallel_for_each(It first, It last, Body const& body, task_group_context& context) {
  ashlar::algo::for_each<ashlar::algo::item_of<Body, It>>(first, last, body, context);
}
template <typename Container, typename Body, typename = std::enable_if_t<ashlar::algo::is_sequence<Container>>>
ASHLAR_REQUIRES(ashlar::algo::can_walk_all<Body, Container>)
void parallel_for_each(Container&& container, Body const& body) {
  ashlar::algo::check_for_each<ashlar::algo::begin_of<Container>, Body>();
  using item = ashlar::algo::item_of<Body, ashlar::algo::begin_of<Container>>;
  ashlar::algo::for_each<item>(std::begin(container), std::end(container), body);
}
template <typename Container, typename Body, typename = std::enable_if_t<ashlar::algo::is_sequence<Container>>>
ASHLAR_REQUIRES(ashlar::algo::can_walk_all<Body, Container>)
void parallel_for_each(Container&& container, Body const& body, task_group_context& context) {
  using item = ashlar::algo::item_of<Body, ashlar::algo::begin_of<Container>>;
  ashlar::algo::for_each<item>(std::begin(container), std::end(container), body, context);
}

// clang-format off: the compiler shows a twin's line
#if ASHLAR_CONSTRAINED
template <typename It, typename Body, typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_for_each(It, It, Body const&, Nothing...) = delete;  // needs iterators, and body(item) or body(item, feeder&), const
template <typename Container, typename Body, typename = std::enable_if_t<ashlar::algo::is_sequence<Container>>,
          typename... Nothing, ashlar::algo::enable_if_nothing<Nothing...>* = nullptr>
void parallel_for_each(Container&&, Body const&, Nothing...) = delete;  // needs body(item) or body(item, tbb::feeder<T>&), const
#endif
// clang-format on

}  // namespace tbb

#include <tbb/detail/closure/loops.h>
#if !ASHLAR_LEAN_HEADERS
#include <tbb/blocked_range.h>
#include <tbb/parallel_do.h>
#include <tbb/parallel_for.h>
#endif
