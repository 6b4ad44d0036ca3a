// SPDX-License-Identifier: Apache-2.0
// Classic TBB's parallel_do: parallel_for_each by its earlier name. Only the feeder's item type differs: it is what
// the body's call operator takes, where there is a single one.
#pragma once

#include <ashlar/algo/parallel_for_each.h>
#include <ashlar/sched/tasks/task_group_context.h>

namespace tbb {

template <typename It, typename Body>
void parallel_do(It first, It last, Body const& body) {
  ashlar::algo::for_each<ashlar::algo::classic_item_t<Body, It>>(first, last, body);
}
template <typename It, typename Body>
void parallel_do(It first, It last, Body const& body, task_group_context& context) {
  ashlar::algo::for_each<ashlar::algo::classic_item_t<Body, It>>(first, last, body, context);
}
template <typename Container, typename Body, typename = std::enable_if_t<ashlar::algo::is_sequence<Container>>>
void parallel_do(Container&& container, Body const& body) {
  parallel_do(std::begin(container), std::end(container), body);
}
template <typename Container, typename Body, typename = std::enable_if_t<ashlar::algo::is_sequence<Container>>>
void parallel_do(Container&& container, Body const& body, task_group_context& context) {
  parallel_do(std::begin(container), std::end(container), body, context);
}

}  // namespace tbb

#include <tbb/detail/closure/tasks.h>
#if !ASHLAR_LEAN_HEADERS
#include <iterator>
#endif
