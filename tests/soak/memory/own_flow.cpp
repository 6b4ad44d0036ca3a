// SPDX-License-Identifier: Apache-2.0
// Nodes that oneTBB has not.
#include "cases.h"
#include "stream.h"

#include <tbb/flow_coroutine.h>

#include <stdexcept>

namespace growth {

namespace {

using namespace tbb::flow;  // its names are in all lines
using std::make_shared;

// Each message goes round three times.
putting switching(graph& g, std::function<void()> const& arrived) {
  auto const enter = make_shared<function_node<long, std::string>>(
      g, unlimited, [](long i) { return std::string(40 + static_cast<std::size_t>(i % 50), 'x'); });
  auto const cut = make_shared<function_node<std::string, std::string>>(
      g, unlimited, [](std::string const& s) { return s.substr(0, s.size() - 30); });
  auto const n = make_shared<switch_node<std::string>>(
      g, unlimited, [](std::string const& s) -> std::size_t { return s.size() > 60 ? 1 : 0; });
  auto const end = sink<std::string>(g, arrived);
  make_edge(*enter, *n);
  make_edge(output_port<0>(*n), *end);
  make_edge(output_port<1>(*n), *cut);
  make_edge(*cut, *n);
  return holding([enter](long i) { enter->try_put(i); }, cut, n, end);
}
putting fallible(graph& g, std::function<void()> const& arrived) {
  auto const n = make_shared<fallible_node<std::string, std::string>>(g, unlimited, [](std::string const& s) {
    if (s.size() % 20 == 0) throw std::runtime_error(s);
    return s;
  });
  auto const good = sink<std::string>(g, arrived);
  auto const bad = sink<failed_message<std::string>>(g, arrived);
  make_edge(output_port<0>(*n), *good);
  make_edge(error_port(*n), *bad);
  return holding([n](long i) { n->try_put(some_text(i)); }, good, bad);
}
putting limited(graph& g, std::function<void()> const& arrived) {
  using node = resource_limited_node<long, std::tuple<std::string>>;
  auto const places = make_shared<resource_limiter<int>>(std::initializer_list<int>{1, 2});
  auto const n = make_shared<node>(g, unlimited, std::tie(*places), [](long i, node::output_ports_type& ports, int&) {
    std::get<0>(ports).try_put(some_text(i));
  });
  auto const end = sink<std::string>(g, arrived);
  make_edge(output_port<0>(*n), *end);
  return holding([n](long i) { n->try_put(i); }, places, end);
}
tbb::co_task<std::string> text_of(long i) { co_return some_text(i); }
putting coroutine(graph& g, std::function<void()> const& arrived) {
  auto const n = make_shared<coroutine_node<long, std::string>>(g, 20, [](long i) -> tbb::co_task<std::string> {
    tbb::task_group inner;
    inner.run([] {});
    co_await inner;
    co_return co_await text_of(i);
  });
  auto const end = sink<std::string>(g, arrived);
  make_edge(*n, *end);
  return holding([n](long i) { n->try_put(i); }, end);
}

}  // namespace

void add_own_flow(table& t) {
  t.push_back({"switch_node", 50'000, through(switching)});
  t.push_back({"fallible_node", 50'000, through(fallible)});
  t.push_back({"resource_limited_node", 50'000, through(limited)});
  t.push_back({"coroutine_node", 50'000, through(coroutine)});
}

}  // namespace growth
