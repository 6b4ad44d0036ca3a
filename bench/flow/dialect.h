// SPDX-License-Identifier: Apache-2.0
// The little in which the flow graphs of classic TBB and oneTBB differ, for the programs of this folder.
#pragma once

#include <tbb/flow_graph.h>

#include <bench/tbb_peer.h>

#include <utility>

namespace bench {

#if TBB_INTERFACE_VERSION < 12000
// A source whose body is bool(T&) and that begins with activate().
template <typename T>
class flow_source : public tbb::flow::source_node<T> {
 public:
  template <typename Body>
  flow_source(tbb::flow::graph& g, Body body) : tbb::flow::source_node<T>(g, std::move(body), false) {}
};
template <typename Limiter>
auto& decrement_of(Limiter& limiter) {
  return limiter.decrement;
}
#else
template <typename T>
class flow_source : public tbb::flow::input_node<T> {
 public:
  template <typename Body>
  flow_source(tbb::flow::graph& g, Body body)
      : tbb::flow::input_node<T>(g, [body](tbb::flow_control& control) mutable {
          T out{};
          if (!body(out)) control.stop();
          return out;
        }) {}
};
template <typename Limiter>
auto& decrement_of(Limiter& limiter) {
  return limiter.decrementer();
}
#endif

}  // namespace bench
