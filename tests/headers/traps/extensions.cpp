// SPDX-License-Identifier: Apache-2.0
// Our extensions and what only classic TBB has, with the program's types (traps.py).
#define TBB_PREVIEW_AGGREGATOR 1
#include "program.h"

#include <tbb/aggregator.h>
#include <tbb/concurrent_map.h>
#include <tbb/coroutine.h>
#include <tbb/flow_coroutine.h>
#include <tbb/flow_graph.h>
#include <tbb/iterators.h>
#include <tbb/parallel_clear.h>
#include <tbb/parallel_while.h>
#include <tbb/tbb.h>

#include <vector>

namespace program {

struct my_stream {
  bool pop_if_present(my_item& i) { return i.value++ < 3; }
};
struct my_loop {
  using argument_type = my_item;
  void operator()(my_item const&) const {}
};
enum class my_kind { one, two };

}  // namespace program

using namespace program;

template <typename Container>
void clear(Container c = Container()) {
  tbb::parallel_clear(c);
}
void containers() {
  using pair = std::pair<my_item const, my_item>;
  clear<tbb::concurrent_vector<my_item, my_memory<my_item>>>();
  clear<tbb::concurrent_hash_map<my_item, my_item, my_hash_compare, my_memory<pair>>>();
  clear<tbb::concurrent_unordered_map<my_item, my_item, my_hash>>();
  clear<tbb::concurrent_map<my_item, my_item, my_less>>();
  tbb::aggregator().execute(my_body([] {}));
  std::vector<my_item> v(3);
  auto const zipped = tbb::make_zip_iterator(v.begin(), v.data());
  auto const doubled = tbb::make_transform_iterator(v.begin(), my_body([](my_item const& i) { return i + i; }));
  std::get<0>(*zipped).value =
      (*doubled).value + (doubled[1]).value + int((zipped + 1) - zipped) + (zipped < zipped + 1);
}

tbb::atomic<my_kind> a_kind;
tbb::atomic<my_item*> a_pointer;
void classic() {
  a_kind = my_kind::two;
  a_kind.compare_and_swap(my_kind::one, my_kind::two);
  a_kind.fetch_and_store(my_kind::one);
  a_pointer = nullptr;
  a_pointer.compare_and_swap(nullptr, nullptr);
  a_pointer++;
  tbb::parallel_while<my_loop> loop;
  my_stream stream;
  my_loop const body;
  loop.run(stream, body);
}

void nodes() {
  tbb::flow::graph g;
  tbb::flow::fallible_node<my_item, my_item> may_fail(g, 1, my_body([](my_item const& i) { return i; }));
  tbb::flow::queue_node<my_item> q(g);
  tbb::flow::queue_node<tbb::flow::failed_message<my_item>> failed(g);
  tbb::flow::make_edge(may_fail, q);
  tbb::flow::make_edge(tbb::flow::error_port(may_fail), failed);
  may_fail.try_put(my_item(1));
  tbb::flow::freeze(g).run();
}

#if defined(__cpp_impl_coroutine)
tbb::co_task<my_item> item() { co_return my_item(1); }
tbb::co_task<> sum(my_item& result) { result = co_await item() + co_await item(); }
void coroutines() {
  tbb::task_group group;
  my_item result;
  tbb::co_run(group, sum(result));
  group.wait();
  tbb::flow::graph g;
  tbb::flow::coroutine_node<my_item, my_item> node(
      g, 1, my_body([](my_item i) -> tbb::co_task<my_item> { co_return i + co_await item(); }));
  node.try_put(my_item(1));
}
#else
void coroutines() {}
#endif

int main() {
  containers();
  classic();
  nodes();
  coroutines();
}
