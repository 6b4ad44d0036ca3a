// SPDX-License-Identifier: Apache-2.0
// What a program written for classic TBB may write with its flow graph, beyond what oneTBB kept: allocators of nodes,
// sources that begin by themselves, tasks of a graph, extraction, asynchronous messages. It compiles with the headers
// of TBB 2020 as well, so it states TBB's interface and not ours. Compiled only.
#define TBB_SUPPRESS_DEPRECATED_MESSAGES 1
#define TBB_PREVIEW_FLOW_GRAPH_NODES 1
#define TBB_PREVIEW_FLOW_GRAPH_FEATURES 1
#define TBB_PREVIEW_ASYNC_MSG 1
#define TBB_DEPRECATED_FLOW_NODE_EXTRACTION 1
// A header of the user may declare these before.
namespace tbb {
namespace flow {
namespace interface10 {
class graph;
}
namespace interface11 {
template <typename T>
class async_msg;
}
}  // namespace flow
}  // namespace tbb
#include <tbb/cache_aligned_allocator.h>
#include <tbb/flow_graph.h>
#include <tbb/task_scheduler_init.h>
#include <tbb/tbb_allocator.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>

namespace {

namespace flow = tbb::flow;
using flow::continue_msg;
using flow::graph;

template <typename A, typename B>
constexpr bool same = std::is_same_v<A, B>;
template <typename T>
using allocator = tbb::tbb_allocator<T>;

struct task_of_user : tbb::task {
  tbb::task* execute() override { return nullptr; }
};

void graphs() {
  static_assert(same<graph, tbb::flow::interface10::graph>);
  static_assert(same<flow::function_node<int, int>, tbb::flow::interface11::function_node<int, int>>);
  static_assert(same<flow::tuple<int, char>, std::tuple<int, char>>);
  static_assert(flow::tuple_size<flow::tuple<int, char>>::value == 2);
  static_assert(same<flow::tuple_element<1, flow::tuple<int, char>>::type, char>);
  tbb::task_group_context context;
  graph g, with_context(context);
  flow::function_node<int, int> f(g, flow::serial, [](int x) { return x; });
  g.run([] {});
  g.increment_wait_count();
  g.decrement_wait_count();
  g.reserve_wait();
  g.release_wait();
  tbb::task* const root = g.root_task();
  (void)root->is_cancelled();
  g.wait_for_all();
  (void)(g.is_cancelled() || g.exception_thrown());
  g.reset();
  g.reset(flow::reset_flags(flow::rf_reset_bodies | flow::rf_clear_edges));
  int n = 0;
  for (graph::iterator i = g.begin(); i != g.end(); ++i) ++n;
  for (graph::const_iterator i = g.cbegin(); i != g.cend(); ++i) ++n;
  flow::tuple<int, int> t(1, 2);
  n += flow::get<0>(t);
}

void sources() {
  graph g;
  auto const body = [](int& out) {
    out = 1;
    return false;
  };
  flow::source_node<int> a(g, body), b(g, body, false), c(a);
  flow::queue_node<int> q(g);
  flow::make_edge(b, q);
  b.activate();
  int out = 0;
  (void)(b.try_get(out) || b.try_reserve(out) || b.try_release() || b.try_consume());
  auto const copied = flow::copy_body<std::decay_t<decltype(body)>>(a);
  (void)copied;
  g.wait_for_all();
}

void bodies() {
  graph g;
  auto const twice = [](int x) { return 2 * x; };
  flow::function_node<int, int, flow::queueing, allocator<int>> f(g, flow::serial, twice);
  struct large {
    std::array<int, 40> numbers;
  };
  flow::function_node<large, large> large_messages(g, 1, [](large const& l) { return l; });
  flow::function_node<int, int, flow::rejecting> r(g, flow::unlimited, twice, flow::rejecting(),
                                                   flow::node_priority_t(1));
  flow::function_node<int, int, flow::lightweight> light(g, flow::unlimited, twice);
  flow::continue_node<continue_msg> c(g, [](continue_msg const&) {});
  flow::continue_node<int> c2(g, 2, [](continue_msg const&) { return 1; }, flow::node_priority_t(1));
  using multi = flow::multifunction_node<int, flow::tuple<int, int>, flow::rejecting, allocator<int>>;
  multi m(g, flow::serial, [](int x, multi::output_ports_type& ports) { flow::get<0>(ports).try_put(x); });
  using async = flow::async_node<int, int, flow::queueing, allocator<int>>;
  async a(g, flow::unlimited, [](int x, async::gateway_type& way) { way.try_put(x); });
  static_assert(std::is_base_of_v<flow::receiver_gateway<int>, async::gateway_type>);
  flow::make_edge(f, r);
  flow::make_edge(r, light);
  flow::make_edge(light, m);
  flow::make_edge(flow::output_port<0>(m), a);
  flow::make_edge(c, c2);
  f.try_put(1);
  g.wait_for_all();
}

// Of the buffers, TBB 2020.0 compiles none with another allocator than the default one.
template <typename T>
using aligned = tbb::cache_aligned_allocator<T>;

void buffers() {
  graph g;
  flow::broadcast_node<int> all(g);
  flow::buffer_node<int, aligned<int>> any(g);
  flow::queue_node<int, aligned<int>> first(g);
  flow::sequencer_node<int, aligned<int>> ordered(g, [](int x) -> std::size_t { return static_cast<std::size_t>(x); });
  flow::priority_queue_node<int, std::less<int>, aligned<int>> largest(g);
  flow::split_node<flow::tuple<int, int>, allocator<int>> split(g);
  flow::overwrite_node<int> last(g);
  flow::write_once_node<int> once(g);
  flow::limiter_node<int> limiter(g, 3);
  flow::limiter_node<int, int> counted(g, 3);
  flow::make_edge(first, limiter);
  flow::broadcast_node<continue_msg> done(g);
  flow::make_edge(done, limiter.decrement);
  limiter.decrement.try_put(continue_msg());
  counted.decrement.try_put(2);
  flow::make_edge(flow::output_port<0>(split), all);
  (void)(last.is_valid() || once.is_valid());
  g.wait_for_all();
}

void joins() {
  graph g;
  using pair = flow::tuple<int, std::string>;
  flow::join_node<pair> j(g);
  flow::join_node<pair, flow::reserving> reserving(g);
  flow::join_node<pair, flow::tag_matching> tags(
      g, [](int x) -> flow::tag_value { return static_cast<flow::tag_value>(x); },
      [](std::string const& s) -> flow::tag_value { return s.size(); });
  flow::join_node<flow::tuple<int, int>, flow::key_matching<int>> keys(
      g, [](int x) { return x; }, [](int x) { return x; });
  using indexer = flow::indexer_node<int, std::string>;
  indexer index(g);
  flow::function_node<indexer::output_type> f(g, flow::serial, [](indexer::output_type const& m) {
    (void)(m.tag() == 0 ? flow::cast_to<int>(m) : 0);
    (void)(m.is_a<int>() || flow::is_a<std::string>(m));
    return continue_msg();
  });
  flow::make_edge(index, f);
  flow::queue_node<int> q(g);
  flow::make_edge(q, flow::input_port<0>(j));
  flow::make_edge(q, flow::get<0>(reserving.input_ports()));
  flow::remove_edge(q, flow::input_port<0>(j));
  g.wait_for_all();
}

void extraction() {
  graph g;
  flow::queue_node<int> q(g);
  flow::function_node<int, int> f(g, flow::serial, [](int x) { return x; });
  flow::make_edge(q, f);
  flow::function_node<int, int>::predecessor_list_type before;
  flow::queue_node<int>::successor_list_type behind;
  f.copy_predecessors(before);
  q.copy_successors(behind);
  (void)(f.predecessor_count() + q.successor_count());
  f.extract();
  g.wait_for_all();
}

void asynchronous_messages() {
  graph g;
  static_assert(same<flow::async_msg<int>, tbb::flow::interface11::async_msg<int>>);
  flow::function_node<int, flow::async_msg<int>> f(g, flow::unlimited, [](int x) {
    flow::async_msg<int> message;
    message.set(x);
    return message;
  });
  flow::function_node<int> behind(g, flow::serial, [](int) { return continue_msg(); });
  flow::make_edge(f, behind);
  f.try_put(1);
  g.wait_for_all();
}

// A receiver and a sender of the user's own.
struct counter : flow::receiver<int> {
  using predecessor_type = flow::receiver<int>::predecessor_type;
  explicit counter(graph& g) : graph_(g) {}
  tbb::task* try_put_task(int const&) override {
    ++count_;
    return flow::interface11::SUCCESSFULLY_ENQUEUED;
  }
  graph& graph_reference() const override { return graph_; }
  bool register_predecessor(predecessor_type&) override { return false; }
  bool remove_predecessor(predecessor_type&) override { return false; }
  void reset_receiver(flow::reset_flags) override {}
  using built_type = flow::receiver<int>::built_predecessors_type;
  built_type& built_predecessors() override { return built_; }
  void internal_add_built_predecessor(predecessor_type&) override {}
  void internal_delete_built_predecessor(predecessor_type&) override {}
  void copy_predecessors(predecessor_list_type&) override {}
  std::size_t predecessor_count() override { return 0; }
  graph& graph_;
  int count_ = 0;
  built_type built_;
};

// A receiver that waits for a number of messages.
struct rounds : flow::continue_receiver {
  explicit rounds(graph& g) : flow::continue_receiver(2, flow::no_priority), graph_(g) {}
  rounds(rounds const& other) : flow::continue_receiver(other), graph_(other.graph_) {}
  tbb::task* execute() override { return nullptr; }
  graph& graph_reference() const override { return graph_; }
  void forget() { reset_receiver(flow::rf_clear_edges); }
  graph& graph_;
};
static_assert(same<flow::continue_receiver, flow::interface11::continue_receiver>);
static_assert(same<flow::continue_receiver::input_type, continue_msg>);
static_assert(std::is_base_of_v<flow::receiver<continue_msg>, flow::continue_receiver>);
static_assert(std::is_convertible_v<flow::continue_node<int>*, flow::continue_receiver*>);
static_assert(std::is_convertible_v<decltype(flow::limiter_node<int>::decrement)*, flow::continue_receiver*>);

}  // namespace

// What a program that only needs the names may use.
void flow_graph_names() {
  graphs();
  sources();
  bodies();
  buffers();
  joins();
  extraction();
  asynchronous_messages();
  graph g;
  counter own(g);
  g.run(own, [] { return 1; });
  flow::queue_node<int> q(g);
  flow::make_edge(q, own);
  rounds waiting(g), copied(waiting);
  flow::broadcast_node<continue_msg> b(g);
  flow::make_edge(b, waiting);
  flow::remove_edge(b, waiting);
  waiting.try_put(continue_msg());
  waiting.forget();
  g.wait_for_all();
}
