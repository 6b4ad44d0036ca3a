// SPDX-License-Identifier: Apache-2.0
// parallel_pipeline and its filters, in the meaning of `filter` that the including header has chosen: beside classic
// TBB's class `filter` the chains are named filter_t only (docs/decisions/0001).
#pragma once

#include <ashlar/algo/parallel_pipeline.h>
#include <ashlar/base/interface.h>

namespace tbb {

// A chain of filters that takes values of type In and makes values of type Out; void at the pipeline's ends. Copies
// share the bodies, which are called through const references.
//
// The first body is called with a flow_control& and ends the stream with stop(); the others with the value of the
// filter before, as an rvalue if they take one. A serial filter works on one item at a time, in the order of the stream
// or in any; a parallel one on many.
#if ASHLAR_CLASSIC_DIALECT
namespace interface6 {
template <typename In, typename Out>
class filter_t : public ashlar::algo::typed_filter<In, Out> {
 public:
  using ashlar::algo::typed_filter<In, Out>::typed_filter;
  filter_t() = default;
};
}  // namespace interface6
using interface6::filter_t;
#elif defined(__TBB_pipeline_H)
/// A filter of parallel_pipeline by its name in TBB 2020, where filter is the class that filters derive from.
template <typename In, typename Out>
using filter_t = ashlar::algo::typed_filter<In, Out>;
#else
template <typename In, typename Out>
class filter : public ashlar::algo::typed_filter<In, Out> {
 public:
  using ashlar::algo::typed_filter<In, Out>::typed_filter;
  filter() = default;
  filter& operator&=(ashlar::algo::typed_filter<Out, Out> const& next) {
    ashlar::algo::typed_filter<In, Out>::operator&=(next);
    return *this;
  }
};
template <typename Body>
filter(filter_mode, Body) -> filter<ashlar::algo::filter_input<Body>, ashlar::algo::filter_output<Body>>;

/// The name of the class template in TBB 2020.
template <typename In, typename Out>
using filter_t = filter<In, Out>;
#endif

/// A filter of one body; the second form asks its call operator for the types.
template <typename In, typename Out, typename Body>
ASHLAR_REQUIRES(ashlar::algo::is_filter_body<In, Out, Body>)
filter_t<In, Out> make_filter(filter_mode mode, Body const& body) {
  static_assert(
      ashlar::algo::is_filter_body<In, Out, Body>,
      "make_filter<In, Out>: the body must be callable as Out body(In) through a const reference; that of the "
      "first filter, whose In is void, as Out body(tbb::flow_control&)");
  return filter_t<In, Out>(mode, body);
}
#if ASHLAR_CONSTRAINED
template <typename In, typename Out, typename Body>
filter_t<In, Out> make_filter(filter_mode, Body const&) = delete;  // needs Out body(In); for void body(flow_control&)
#endif
template <typename Body>
filter_t<ashlar::algo::filter_input<Body>, ashlar::algo::filter_output<Body>> make_filter(filter_mode mode,
                                                                                          Body const& body) {
  return filter_t<ashlar::algo::filter_input<Body>, ashlar::algo::filter_output<Body>>(mode, body);
}

/// Runs the chain until its first filter stops and every item has passed. At most max_live_tokens items (and 16384) are
/// on their way at a time. An exception from a body cancels the pipeline: items on their way are destroyed, and the
/// first exception is rethrown.
///
/// Cost: about twenty-five nanoseconds for an item in three filters, if nobody steals.
inline void parallel_pipeline(std::size_t max_live_tokens, filter_t<void, void> const& chain) {
  chain.chain().run(max_live_tokens, nullptr);
}
inline void parallel_pipeline(std::size_t max_live_tokens, filter_t<void, void> const& chain,
                              task_group_context& context) {
  chain.chain().run(max_live_tokens, &context);
}
template <typename In, typename Out, std::enable_if_t<!std::is_void_v<In> || !std::is_void_v<Out>>* = nullptr>
void parallel_pipeline(std::size_t, ashlar::algo::typed_filter<In, Out> const&) = delete;  // needs a chain void to void
/// parallel_pipeline(max_live_tokens, f1, f2, … [, context]) runs f1 & f2 & …
template <typename A, typename B, typename C, typename... Rest>
ASHLAR_REQUIRES(std::is_void_v<A>&& ashlar::algo::ends_pipeline<C, Rest...>())
void parallel_pipeline(std::size_t max_live_tokens, ashlar::algo::typed_filter<A, B> const& first,
                       ashlar::algo::typed_filter<B, C> const& second, Rest&&... rest) {
  parallel_pipeline(max_live_tokens, first & second, rest...);
}

}  // namespace tbb

namespace ashlar {
inline namespace v1 {
namespace algo {

/// One filter after the other.
template <typename A, typename B, typename C>
tbb::filter_t<A, C> operator&(typed_filter<A, B> const& first, typed_filter<B, C> const& second) {
  return tbb::filter_t<A, C>(filter_chain(first.chain(), second.chain()));
}

template <typename A, typename B, typename C, typename D, std::enable_if_t<!std::is_same_v<B, C>>* = nullptr>
tbb::filter_t<A, D> operator&(typed_filter<A, B> const&, typed_filter<C, D> const&) = delete;  // needs B = C

}  // namespace algo
}  // namespace v1
}  // namespace ashlar

// The names below the public surface that programs have used.
namespace tbb {
namespace interface6 {
using ::tbb::filter_t;
using ::tbb::flow_control;
using ::tbb::make_filter;
using ::tbb::parallel_pipeline;
}  // namespace interface6
}  // namespace tbb
